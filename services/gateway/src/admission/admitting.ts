import { randomUUID } from 'node:crypto';
import { admissionVariables, fromStored, holdAll, type Kind } from '@tidegate/kinds';
import { isSame } from '@tidegate/managed-fields';
import { clean, decodeJson, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, forbiddenObject, internalError, type Reason, type Status } from '@tidegate/status';
import { type WebhookCalls, WebhookFailure } from '../callouts/webhook-calls.ts';
import { asStored } from '../codec/stored-form.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { accessOf, onceDecided } from './access.ts';
import type { Attributes, ReviewedObjects } from './act.ts';
import type { BoundPolicy } from './configurations.ts';
import { type Called, countCall, countFailure, countRejection, type Hook, type HookMetrics } from './hooks.ts';
import { isSelected } from './matcher.ts';
import { judgeByPolicies, type Lookups } from './policy-judges.ts';
import { objectsShown, requestOf, reviewOf, shownKind, type Verdict, verdictOf } from './review.ts';

/** What admission takes from other rooms. */
export interface AdmissionPorts extends Lookups {
  readonly webhooks: Pick<WebhookCalls, 'call'>;
  readonly metrics: HookMetrics;
}

interface AdmittingOptions {
  readonly ports: AdmissionPorts;
  readonly attributes: Attributes;
  readonly mutating: readonly Called[];
  readonly validating: readonly Called[];
  readonly policies: readonly BoundPolicy[];
  /** Warning headers of the answer */
  readonly warnings: string[];
}

interface Asking {
  readonly mayPatch: boolean;
  /** 1: it is asked again */
  readonly round: number;
}

interface Noted {
  readonly round: number;
  readonly operations: readonly unknown[];
  readonly isChanged: boolean;
}

const MAX_ANSWER_BYTES = 3 << 20;

/**
 * What webhooks have to say of one request.
 *
 * Invariant: whom it asks gets a copy. The objects that are judged are those that are written, whatever is answered.
 */
export class Admitting {
  readonly #options: AdmittingOptions;

  constructor(options: AdmittingOptions) {
    this.#options = options;
  }

  /**
   * The object as the mutating webhooks make it, one after another; the object itself where none of them changes it.
   * Who wants to be asked again is asked once more when somebody changed it afterwards.
   */
  async mutate(objects: ReviewedObjects): Promise<JsonObject | undefined> {
    let { object } = objects;
    const asked: Called[] = [];
    const again = new Set<Called>();
    const ask = async (called: Called, round: number) => {
      const operations = await this.#ask(called, { ...objects, object }, { mayPatch: true, round });
      const changed = await this.#patched(called, object, operations ?? []);
      if (operations !== undefined) this.#note(called, { round, operations, isChanged: changed !== undefined });
      if (changed !== undefined) {
        object = changed;
        for (const before of asked) if (before !== called && before.hook.reinvoked) again.add(before);
      }
      if (!asked.includes(called)) asked.push(called);
    };
    for (const called of this.#options.mutating) await ask(called, 0);
    for (const called of this.#options.mutating) if (again.has(called)) await ask(called, 1);
    return object;
  }

  /** Policies judge first. Then all validating webhooks are asked at once; the first that refuses, in their order, is told. */
  async validate(objects: ReviewedObjects): Promise<void> {
    const { policies, ...others } = this.#options;
    if (policies.length > 0) await judgeByPolicies(policies, { ...others, objects });
    if (this.#options.validating.length === 0) return;
    const began = performance.now();
    const answers = await Promise.allSettled(
      this.#options.validating.map((called) => this.#ask(called, objects, { mayPatch: false, round: 0 })),
    );
    this.#options.attributes.notes.webhooksMs += performance.now() - began;
    const refused = answers.find((one) => one.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
  }

  /** What it changes; undefined: nothing, or it is not concerned, or could not be asked and need not be. */
  async #ask(called: Called, objects: ReviewedObjects, asking: Asking): Promise<readonly unknown[] | undefined> {
    const { hook } = called;
    const { attributes, ports, warnings } = this.#options;
    if (!(await isSelected(hook.matcher, ports.objects, { attributes, objects }))) return undefined;
    const isConverted = attributes.conversions !== undefined;
    const shown = isConverted ? await objectsShown(attributes, called.act, objects) : objects;
    const request = requestOf(attributes, { act: called.act, uid: randomUUID(), objects: shown });
    if (hook.conditions.length > 0) await ports.authorizer.known();
    if (!(await this.#holds(hook, request))) return undefined;
    if (attributes.isDryRun && !hook.isHarmless) {
      throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    }
    let verdict: Verdict;
    let operations: readonly unknown[] | undefined;
    try {
      verdict = await this.#timed(called, request, asking.mayPatch);
      if (verdict.allowed) operations = operationsIn(verdict);
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      countFailure(ports.metrics, called, asking.mayPatch);
      if (hook.ignoresFailure) {
        this.#noteUnasked(called, asking);
        return undefined;
      }
      throw internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${error.message}`, error);
    }
    warnings.push(...verdict.warnings);
    for (const [key, value] of verdict.annotations) attributes.record?.annotate(`${hook.name}/${key}`, value);
    if (verdict.allowed) return operations;
    const denied = denial(hook.name, verdict.status ?? {});
    countRejection(ports.metrics, called, { mayPatch: asking.mayPatch, error: 'no_error', code: denied.code });
    throw denied;
  }

  /** What a mutating webhook has done, for the record. */
  #note({ hook }: Called, { round, operations, isChanged }: Noted): void {
    const { record } = this.#options.attributes;
    if (record === undefined) return;
    const place = this.#placeOf(hook, round);
    const who = { configuration: hook.configuration, webhook: hook.name };
    record.annotate(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify({ ...who, mutated: isChanged }));
    if (!isChanged || !record.isAtLeast('Request')) return;
    const patch = { ...who, patch: operations, patchType: 'JSONPatch' };
    record.annotate(`patch.webhook.admission.k8s.io/${place}`, JSON.stringify(patch));
  }

  /** It could not be asked, and the request goes on. */
  #noteUnasked({ hook }: Called, { mayPatch, round }: Asking): void {
    const sort = mayPatch ? 'mutating' : 'validating';
    const key = `failed-open.${sort}.webhook.admission.k8s.io/${this.#placeOf(hook, round)}`;
    this.#options.attributes.record?.annotate(key, hook.name);
  }

  #placeOf(hook: Hook, round: number): string {
    const { mutating, validating } = this.#options;
    const index = [mutating, validating].map((all) => all.findIndex((called) => called.hook === hook));
    return `round_${round}_index_${Math.max(...index)}`;
  }

  async #timed(called: Called, request: JsonObject, mayPatch: boolean): Promise<Verdict> {
    const { ports, attributes } = this.#options;
    const began = performance.now();
    let isRejected = !called.hook.ignoresFailure;
    try {
      const verdict = await this.#call(called.hook, request, mayPatch);
      isRejected = !verdict.allowed;
      return verdict;
    } finally {
      const ms = performance.now() - began;
      // of those that are asked one after another; the others are asked at once
      if (mayPatch) attributes.notes.webhooksMs += ms;
      countCall(ports.metrics, called, { mayPatch, isRejected, seconds: ms / 1000 });
    }
  }

  async #call(hook: Hook, request: JsonObject, mayPatch: boolean): Promise<Verdict> {
    let answer: JsonObject;
    try {
      answer = await this.#options.ports.webhooks.call({
        config: hook.config,
        body: reviewOf(hook, request),
        timeoutMs: hook.timeoutMs,
        maxAnswerBytes: MAX_ANSWER_BYTES,
      });
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      throw new WebhookFailure(`failed to call webhook: ${error.message}`, { cause: error });
    }
    try {
      return verdictOf(answer, { hook, uid: String(request.uid), mayPatch });
    } catch (error) {
      throw new WebhookFailure(`received invalid webhook response: ${(error as Error).message}`, { cause: error });
    }
  }

  /** What cannot be said of the request is as good as a webhook that cannot be reached. */
  async #holds(hook: Hook, request: JsonObject): Promise<boolean> {
    if (hook.conditions.length === 0) return true;
    const { attributes, ports } = this.#options;
    const variables = admissionVariables(request, accessOf(ports.authorizer, attributes.user));
    const verdict = await onceDecided(() => holdAll(hook.conditions, variables));
    if ('holds' in verdict) return verdict.holds;
    if (hook.ignoresFailure) return false;
    const { entry } = attributes.act.kind;
    const [first = '', ...more] = verdict.problems;
    throw forbiddenObject(
      entry,
      String(request.name ?? ''),
      more.length === 0 ? first : `[${verdict.problems.join(', ')}]`,
    );
  }

  /** undefined: it is as it was. */
  async #patched(
    { hook, act }: Called,
    object: JsonObject | undefined,
    operations: readonly unknown[],
  ): Promise<JsonObject | undefined> {
    if (operations.length === 0) return undefined;
    const { attributes } = this.#options;
    if (object === undefined) {
      const webhook = `admission webhook ${JSON.stringify(hook.name)}`;
      throw internalError(`${webhook} attempted to modify the object, which is not supported for this operation`);
    }
    const shown = shownKind(attributes, act);
    const { object: seen = object } = await objectsShown(attributes, act, { object, old: undefined });
    const before = fromStored(shown, structuredClone(seen));
    const read = readAgain(shown, patched(before, operations));
    const made = (await attributes.conversions?.later(read, shown, attributes.kind)) ?? read;
    return isSame(made, object) ? undefined : made;
  }
}

function patched(object: JsonObject, operations: readonly unknown[]): JsonObject {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    const { cause } = error as Error;
    const [words = ''] = (cause instanceof Error ? cause.message : (error as Error).message).split('\n');
    throw internalError(words, error);
  }
}

/** An object that was changed from outside, as it is stored: what its kind does not have is left out. */
function readAgain(kind: Kind, raw: JsonObject): JsonObject {
  const { value, problems } = clean(kind.schema, raw, kind.entry.kind);
  const [problem] = problems;
  if (problem !== undefined) throw internalError(problem.message);
  value.apiVersion = kind.apiVersion;
  value.kind = kind.entry.kind;
  return asStored(kind, value);
}

/** The operations of a patch, which none of the other patch languages has. */
function operationsIn({ patch, patchType }: Verdict): readonly unknown[] | undefined {
  if (patch.length === 0) return undefined;
  if (patchType !== 'JSONPatch') throw new WebhookFailure(`unsupported patch type ${JSON.stringify(patchType)}`);
  const undecodable = (words: string) => new WebhookFailure(`received undecodable patch in webhook response: ${words}`);
  let operations: unknown;
  try {
    operations = decodeJson(patch).value;
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  if (!Array.isArray(operations)) throw undecodable('a JSON patch is a list of operations');
  return operations;
}

const LEAST_CODE = 400;

/** What the client hears, in the webhook's own words where it has some. */
function denial(name: string, said: JsonObject): ApiError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const words = String(said.message || said.reason || '');
  const code = typeof said.code === 'number' && said.code >= LEAST_CODE ? said.code : LEAST_CODE;
  const { details } = said as { details?: Status['details'] };
  return new ApiError(
    (said.reason ?? '') as Reason | '',
    words === '' ? `${denied} without explanation` : `${denied}: ${words}`,
    {
      code,
      ...(details === undefined ? {} : { details }),
    },
  );
}
