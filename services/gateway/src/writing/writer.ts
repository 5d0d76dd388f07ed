import { isConverted, metaOf, type Registry } from '@tidegate/kinds';
import { copyOf, type JsonObject } from '@tidegate/schema';
import { ApiError, alreadyExists, conflict, notFound } from '@tidegate/status';
import type { Admission } from '../admission/admission.ts';
import type { ServiceRanges } from '../allocation/service-allocator.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { RecentObjects } from '../codec/recent-objects.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { isLargeJson, type LargeSteps } from '../limits/large-steps.ts';
import type { Collections } from '../objects/collections.ts';
import { type Current, currentJson, type Objects, parseCurrent } from '../objects/objects.ts';
import type { Plugins } from '../plugins/plugins.ts';
import type { CountedCommits } from '../quota/counted-commits.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import {
  escalation,
  mutatingPlugins,
  mutatingWebhooks,
  validatingPlugins,
  validatingWebhooks,
} from './admission-stages.ts';
import { change, ownFields, serverFields, untouched } from './change-stages.ts';
import { commit, conversion, dryRun, serialization, unchanged } from './commit-stages.ts';
import type { Commits } from './commits.ts';
import type { DeleteOptions } from './delete-options.ts';
import { deletion } from './deletion.ts';
import { allocation, allocatorFor, identity, preparation, validation, warning } from './rule-stages.ts';
import type { Draft, Outcome, Stage, Write } from './write.ts';

/** What the writer needs from other rooms. */
interface WriterPorts {
  readonly registry: Registry;
  readonly objects: Objects;
  readonly recent: RecentObjects;
  readonly collections: Pick<Collections, 'latest'>;
  readonly conversions: Pick<Conversions, 'written' | 'remember'>;
  readonly admission: Pick<Admission, 'forRequest'>;
  readonly plugins: Pick<Plugins, 'chainFor'>;
  readonly authorizer: Authorizer;
  readonly quotas: Pick<CountedCommits, 'commit' | 'checkQuotas'>;
  readonly commits: Commits;
  readonly largeSteps: LargeSteps;
  readonly ranges: ServiceRanges;
}

/** The stages of every write, in the order in which they run. */
function stagesOf(
  ports: WriterPorts & { removed: (request: ResourceRequest) => Promise<void> },
): Readonly<Record<'mutate' | 'check' | 'finish', readonly Stage[]>> {
  return {
    // computes the object that the client, plugins and webhooks want
    mutate: [
      change,
      untouched,
      serverFields,
      ownFields(ports.registry),
      mutatingPlugins,
      mutatingWebhooks,
      escalation(ports.authorizer),
    ],
    // completes and validates it; a creation whose name or address is taken starts again here
    check: [
      identity,
      preparation,
      allocation,
      validation,
      warning,
      validatingPlugins,
      validatingWebhooks,
      serialization,
    ],
    // finishes the write; an error here is final
    finish: [unchanged, conversion(ports.conversions), dryRun(ports), commit(ports)],
  };
}

/** How long conflicting writes are retried. Clients give up after a minute. */
const MAX_CONTENTION_MS = 30_000;
/** The maximum number of generated names to try. */
const MAX_NAMES = 8;

/**
 * The path of all writes: read the current object, change it, run the stages, commit.
 *
 * The current object may come from the mirror and be slightly stale. Then the commit conflicts, and an outcome without
 * a commit is returned only after the store has confirmed it. A conflict is retried with a fresh object, unless the
 * client named a resourceVersion.
 */
export class Writer {
  readonly #ports: WriterPorts;
  readonly #stages: ReturnType<typeof stagesOf>;

  constructor(ports: WriterPorts) {
    this.#ports = ports;
    this.#stages = stagesOf({ ...ports, removed: (request) => this.#removePaired(request) });
  }

  async write(request: ResourceRequest, write: Write): Promise<Answer> {
    const plan = await this.#plan(request, write);
    return write.operation === 'CREATE' ? this.#create(plan) : this.#change(plan);
  }

  async #create(plan: Plan): Promise<Answer> {
    const { request } = plan;
    const draft = this.#draft(plan, undefined);
    await this.#run(this.#stages.mutate, draft);
    const wanted = draft.object;
    const { name: given, generateName } = metaOf(wanted);
    const isGenerated = !given && Boolean(generateName);
    const end = performance.now() + MAX_CONTENTION_MS;
    for (let names = 1; ; ) {
      // allocation writes into the object, and a retry must not find those values
      draft.object = plan.allocator === undefined ? wanted : copyOf(wanted);
      if (isGenerated) delete metaOf(draft.object).name;
      const outcome = (await this.#run(this.#stages.check, draft)) ?? (await this.#run(this.#stages.finish, draft));
      if (outcome?.kind === 'answered') return outcome.answer;
      const { name = '' } = metaOf(draft.object);
      if (outcome?.kind === 'taken') {
        if (!isGenerated) throw alreadyExists(request.kind.entry, name, outcome.deleting);
        if (++names > MAX_NAMES) throw namesExhausted(request, name);
      }
      if (performance.now() > end) throw conflict(request.kind.entry, name);
    }
  }

  async #change(plan: Plan): Promise<Answer> {
    const { request, write } = plan;
    const { kind, info } = request;
    const end = performance.now() + MAX_CONTENTION_MS;
    let current = await this.#first(plan);
    for (;;) {
      const answer = current === undefined ? await this.#createInstead(plan) : await this.#attempt(plan, current);
      if (answer !== undefined) return answer;
      if (performance.now() > end) throw conflict(kind.entry, info.name);
      current = await this.#ports.objects.find(kind, info.namespace, info.name);
      if (current === undefined && write.orCreate === undefined) throw notFound(kind.entry, info.name);
    }
  }

  /** Writes with admission and deletions need the current object, so they read it from the store at once. */
  async #first({ request, write, requestAdmission }: Plan): Promise<Current | undefined> {
    const { objects } = this.#ports;
    const { kind, info } = request;
    const mayBeStale = requestAdmission === undefined && write.operation === 'UPDATE';
    const mirrored = mayBeStale ? objects.mirrored(kind, info.namespace, info.name) : undefined;
    const current = mirrored ?? (await objects.find(kind, info.namespace, info.name));
    if (current === undefined && write.orCreate === undefined) throw notFound(kind.entry, info.name);
    return current;
  }

  /** undefined: the object was not current, so the attempt must be repeated. */
  async #attempt(plan: Plan, current: Current): Promise<Answer | undefined> {
    plan.write.check?.(current);
    const steps = plan.request.steps ?? this.#ports.largeSteps.of(isLargeJson(current.value));
    const draft = this.#draft({ ...plan, steps }, current, await inStep({ steps }, () => this.#parsed(plan, current)));
    let outcome: Outcome | undefined;
    try {
      outcome = (await this.#run(this.#stages.mutate, draft)) ?? (await this.#run(this.#stages.check, draft));
    } catch (error) {
      // a rejection is valid only if the object was current
      if (current.confirmed) throw error;
      return undefined;
    }
    outcome ??= await this.#run(this.#stages.finish, draft);
    return outcome?.kind === 'answered' ? outcome.answer : undefined;
  }

  /** A converted object is not as the store has it. */
  #parsed({ request: { kind } }: Plan, current: Current): JsonObject {
    if (isConverted(kind)) return parseCurrent(current);
    const { revision, uid } = current;
    return this.#ports.recent.parsed({ resource: kind.storedAs, revision, uid, json: () => currentJson(current) });
  }

  /** undefined: the object exists by now. */
  async #createInstead({ request, write }: Plan): Promise<Answer | undefined> {
    if (write.orCreate === undefined) throw notFound(request.kind.entry, request.info.name);
    const creation = await write.orCreate();
    await this.#ports.authorizer.demand(request.user, { ...request.info, verb: 'create' });
    try {
      return await this.write(request, creation);
    } catch (error) {
      if (error instanceof ApiError && error.status.reason === 'AlreadyExists') return undefined;
      throw error;
    }
  }

  /**
   * Removes the object of the paired resource that has the same name as the removed one: the Endpoints of a Service.
   * The Service is gone by then, so a failure does not change the answer.
   */
  async #removePaired(request: ResourceRequest): Promise<void> {
    const { pairedResource, group, version } = request.kind.stored.entry;
    const kind = pairedResource && this.#ports.registry.find(group, version, pairedResource);
    if (!kind) return;
    const own = { ...request, kind, warnings: [], info: { ...request.info, subresource: '' } };
    try {
      await this.write(own, deletion(own, PAIRED_OPTIONS));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Runs the stages until one ends the attempt; synchronously as long as none has to wait. */
  async #run(stages: readonly Stage[], draft: Draft): Promise<Outcome | undefined> {
    for (const stage of stages) {
      if (!stage.applies(draft)) continue;
      const running = begin(stage, draft);
      const outcome = running instanceof Promise ? await running : running;
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  async #plan(request: ResourceRequest, write: Write): Promise<Plan> {
    const { admission, plugins, collections, ranges } = this.#ports;
    const { operation, options, view, name, isAdmitted = false } = write;
    const dry = options?.isDryRun ?? isDryRun(request);
    const proposals = operation === 'DELETE' ? undefined : allocatorFor({ ranges, collections }, request);
    // a dry run has no commit to detect taken claims, so they must be known before
    if (dry) await proposals?.loadTaken();
    return {
      request,
      write,
      isDryRun: dry,
      steps: request.steps,
      allocator: proposals,
      plugins: isAdmitted || operation === 'DELETE' ? undefined : plugins.chainFor(operation, request),
      requestAdmission: isAdmitted
        ? undefined
        : admission.forRequest(request, {
            operation,
            ...(view === undefined ? {} : { kind: view.kind }),
            ...(name === undefined ? {} : { name }),
            ...(options === undefined ? {} : { options: options.shown, isDryRun: options.isDryRun }),
          }),
    };
  }

  #draft(plan: Plan, current: Current | undefined, old?: Draft['old']): Draft {
    return {
      ...plan,
      recent: this.#ports.recent,
      current,
      old,
      object: {},
      effect: 'stored',
      guards: [],
      isSame: false,
      ...NO_BYTES,
    };
  }
}

type Plan = Pick<Draft, 'request' | 'write' | 'isDryRun' | 'steps' | 'plugins' | 'requestAdmission' | 'allocator'>;

const PAIRED_OPTIONS: DeleteOptions = {
  dryRun: false,
  uid: undefined,
  resourceVersion: undefined,
  graceSeconds: undefined,
  propagation: undefined,
  orphanDependents: undefined,
  ignoreReadErrors: false,
  isAdmitted: true,
};

function begin(stage: Stage, draft: Draft): ReturnType<Stage['run']> | Promise<ReturnType<Stage['run']>> {
  const { conversions, warnings } = draft.request;
  if (stage.converts && conversions !== undefined) return conversions.replay(warnings, () => stage.run(draft));
  return stage.isHeavy && draft.steps !== undefined ? draft.steps.do(() => stage.run(draft)) : stage.run(draft);
}

const NOTHING = { value: Buffer.alloc(0), splice: 0, selection: new Uint8Array() };
const NO_BYTES = { stored: NOTHING, shown: NOTHING };

function namesExhausted({ kind }: ResourceRequest, name: string): ApiError {
  const taken = alreadyExists(kind.entry, name);
  const message = `${taken.message}, the server was not able to generate a unique name for the object`;
  return new ApiError('AlreadyExists', message, { details: { ...taken.status.details, retryAfterSeconds: 1 } });
}
