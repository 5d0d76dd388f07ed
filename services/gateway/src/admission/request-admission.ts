import { randomUUID } from 'node:crypto';
import { admissionVariables, fromStored, holdAll, type Kind } from '@tidegate/kinds';
import { isSame } from '@tidegate/managed-fields';
import { clean, copyOf, decodeJson, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, forbiddenObject, internalError, type Reason, type Status } from '@tidegate/status';
import { type WebhookCalls, WebhookFailure } from '../callouts/webhook-calls.ts';
import { asStored } from '../codec/stored-form.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { accessOf, evaluateWithAccess } from './access.ts';
import type { Attributes, ReviewedObjects } from './attributes.ts';
import type { BoundPolicy } from './configurations.ts';
import { evaluatePolicies, type Lookups } from './evaluate-policies.ts';
import { countCall, countFailure, countRejection, type Hook, type HookMetrics, type MatchedHook } from './hooks.ts';
import { isSelected } from './matcher.ts';
import { objectsShown, requestOf, reviewOf, shownKind, type Verdict, verdictOf } from './review.ts';

/** What admission needs from other rooms. */
export interface AdmissionPorts extends Lookups {
  readonly webhooks: Pick<WebhookCalls, 'call'>;
  readonly metrics: HookMetrics;
}

interface RequestAdmissionOptions {
  readonly ports: AdmissionPorts;
  readonly attributes: Attributes;
  readonly mutating: readonly MatchedHook[];
  readonly validating: readonly MatchedHook[];
  readonly policies: readonly BoundPolicy[];
  /** Warning headers of the answer */
  readonly warnings: string[];
}

interface CallOptions {
  readonly mayPatch: boolean;
  /** 1: the webhook is called again (reinvocation) */
  readonly round: number;
}

interface MutationNote {
  readonly round: number;
  readonly operations: readonly unknown[];
  readonly isChanged: boolean;
}

const MAX_ANSWER_BYTES = 3 << 20;

/**
 * Runs the webhooks and policies for one request.
 *
 * Invariant: webhooks get a copy. They cannot change the objects that are evaluated and written except by a patch.
 */
export class RequestAdmission {
  readonly #options: RequestAdmissionOptions;

  constructor(options: RequestAdmissionOptions) {
    this.#options = options;
  }

  /**
   * Calls the mutating webhooks one after another and returns the changed object, or the same object if none changes
   * it. Webhooks with reinvocationPolicy IfNeeded are called once more if a later webhook changed the object.
   */
  async mutate(objects: ReviewedObjects): Promise<JsonObject | undefined> {
    let { object } = objects;
    const called: MatchedHook[] = [];
    const again = new Set<MatchedHook>();
    const call = async (matched: MatchedHook, round: number) => {
      const operations = await this.#callMatching(matched, { ...objects, object }, { mayPatch: true, round });
      const changed = await this.#patched(matched, object, operations ?? []);
      if (operations !== undefined) this.#note(matched, { round, operations, isChanged: changed !== undefined });
      if (changed !== undefined) {
        object = changed;
        for (const before of called) if (before !== matched && before.hook.reinvoked) again.add(before);
      }
      if (!called.includes(matched)) called.push(matched);
    };
    for (const matched of this.#options.mutating) await call(matched, 0);
    for (const matched of this.#options.mutating) if (again.has(matched)) await call(matched, 1);
    return object;
  }

  /**
   * Evaluates the policies first, then calls all validating webhooks at the same time. If several deny the request, the
   * error of the first in configuration order is thrown.
   */
  async validate(objects: ReviewedObjects): Promise<void> {
    const { policies, ...others } = this.#options;
    if (policies.length > 0) await evaluatePolicies(policies, { ...others, objects });
    if (this.#options.validating.length === 0) return;
    const began = performance.now();
    const answers = await Promise.allSettled(
      this.#options.validating.map((called) => this.#callMatching(called, objects, { mayPatch: false, round: 0 })),
    );
    this.#options.attributes.notes.webhooksMs += performance.now() - began;
    const refused = answers.find((one) => one.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
  }

  /**
   * The operations of its patch; undefined: it does not match, changes nothing, or failed with failurePolicy Ignore.
   */
  async #callMatching(
    called: MatchedHook,
    objects: ReviewedObjects,
    options: CallOptions,
  ): Promise<readonly unknown[] | undefined> {
    const { hook } = called;
    const { attributes, ports, warnings } = this.#options;
    if (!(await isSelected(hook.matcher, ports.objects, { attributes, objects }))) return undefined;
    const isConverted = attributes.conversions !== undefined;
    const shown = isConverted ? await objectsShown(attributes, called.target, objects) : objects;
    const request = requestOf(attributes, { target: called.target, uid: randomUUID(), objects: shown });
    if (hook.conditions.length > 0) await ports.authorizer.known();
    if (!(await this.#holds(hook, request))) return undefined;
    if (attributes.isDryRun && !hook.isHarmless) {
      throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    }
    let verdict: Verdict;
    let operations: readonly unknown[] | undefined;
    try {
      verdict = await this.#timed(called, request, options.mayPatch);
      if (verdict.allowed) operations = operationsIn(verdict);
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      countFailure(ports.metrics, called, options.mayPatch);
      if (hook.ignoresFailure) {
        this.#noteFailOpen(called, options);
        return undefined;
      }
      throw internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${error.message}`, error);
    }
    warnings.push(...verdict.warnings);
    for (const [key, value] of verdict.annotations) attributes.record?.annotate(`${hook.name}/${key}`, value);
    if (verdict.allowed) return operations;
    const denied = denial(hook.name, verdict.status ?? {});
    countRejection(ports.metrics, called, { mayPatch: options.mayPatch, error: 'no_error', code: denied.code });
    throw denied;
  }

  /** Adds the annotations of a mutating webhook to the audit record. */
  #note({ hook }: MatchedHook, { round, operations, isChanged }: MutationNote): void {
    const { record } = this.#options.attributes;
    if (record === undefined) return;
    const place = this.#placeOf(hook, round);
    const who = { configuration: hook.configuration, webhook: hook.name };
    record.annotate(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify({ ...who, mutated: isChanged }));
    if (!isChanged || !record.isAtLeast('Request')) return;
    const patch = { ...who, patch: operations, patchType: 'JSONPatch' };
    record.annotate(`patch.webhook.admission.k8s.io/${place}`, JSON.stringify(patch));
  }

  /** Records that a webhook failed and the request continued (failurePolicy Ignore). */
  #noteFailOpen({ hook }: MatchedHook, { mayPatch, round }: CallOptions): void {
    const sort = mayPatch ? 'mutating' : 'validating';
    const key = `failed-open.${sort}.webhook.admission.k8s.io/${this.#placeOf(hook, round)}`;
    this.#options.attributes.record?.annotate(key, hook.name);
  }

  #placeOf(hook: Hook, round: number): string {
    const { mutating, validating } = this.#options;
    const index = [mutating, validating].map((all) => all.findIndex((called) => called.hook === hook));
    return `round_${round}_index_${Math.max(...index)}`;
  }

  async #timed(called: MatchedHook, request: JsonObject, mayPatch: boolean): Promise<Verdict> {
    const { ports, attributes } = this.#options;
    const began = performance.now();
    let isRejected = !called.hook.ignoresFailure;
    try {
      const verdict = await this.#call(called.hook, request, mayPatch);
      isRejected = !verdict.allowed;
      return verdict;
    } finally {
      const ms = performance.now() - began;
      // mutating webhooks run one after another, so their times add up; validating ones run at the same time
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

  /** Evaluates the match conditions. An evaluation error counts like a webhook that cannot be reached. */
  async #holds(hook: Hook, request: JsonObject): Promise<boolean> {
    if (hook.conditions.length === 0) return true;
    const { attributes, ports } = this.#options;
    const variables = admissionVariables(request, accessOf(ports.authorizer, attributes.user));
    const verdict = await evaluateWithAccess(() => holdAll(hook.conditions, variables));
    if ('holds' in verdict) return verdict.holds;
    if (hook.ignoresFailure) return false;
    const { entry } = attributes.target.kind;
    const [first = '', ...more] = verdict.problems;
    throw forbiddenObject(
      entry,
      String(request.name ?? ''),
      more.length === 0 ? first : `[${verdict.problems.join(', ')}]`,
    );
  }

  /** The object after the patch; undefined: unchanged. */
  async #patched(
    { hook, target }: MatchedHook,
    object: JsonObject | undefined,
    operations: readonly unknown[],
  ): Promise<JsonObject | undefined> {
    if (operations.length === 0) return undefined;
    const { attributes } = this.#options;
    if (object === undefined) {
      const webhook = `admission webhook ${JSON.stringify(hook.name)}`;
      throw internalError(`${webhook} attempted to modify the object, which is not supported for this operation`);
    }
    const shown = shownKind(attributes, target);
    const { object: seen = object } = await objectsShown(attributes, target, { object, old: undefined });
    const before = fromStored(shown, copyOf(seen));
    const read = readPatched(shown, patched(before, operations));
    const made = (await attributes.conversions?.convertedCopy(read, shown, attributes.kind)) ?? read;
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

/** Reads a patched object and converts it to the stored version; fields that its kind does not have are dropped. */
function readPatched(kind: Kind, raw: JsonObject): JsonObject {
  const { value, problems } = clean(kind.schema, raw, kind.entry.kind);
  const [problem] = problems;
  if (problem !== undefined) throw internalError(problem.message);
  value.apiVersion = kind.apiVersion;
  value.kind = kind.entry.kind;
  return asStored(kind, value);
}

/** The operations of the JSON patch in an answer. */
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
  if (!Array.isArray(operations)) throw undecodable('a JSON patch must be a list of operations');
  return operations;
}

const MIN_ERROR_CODE = 400;

/** The error for the client, with the webhook's own message, reason and code where it gives them. */
function denial(name: string, status: JsonObject): ApiError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const words = String(status.message || status.reason || '');
  const code = typeof status.code === 'number' && status.code >= MIN_ERROR_CODE ? status.code : MIN_ERROR_CODE;
  const { details } = status as { details?: Status['details'] };
  return new ApiError(
    (status.reason ?? '') as Reason | '',
    words === '' ? `${denied} without explanation` : `${denied}: ${words}`,
    {
      code,
      ...(details === undefined ? {} : { details }),
    },
  );
}
