import { type Kind, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Guard } from '@tidegate/wire';
import type { RequestAdmission } from '../admission/request-admission.ts';
import type { ServiceAllocator } from '../allocation/service-allocator.ts';
import { objectAnswer, storedAnswer } from '../codec/answer.ts';
import type { RecentObjects } from '../codec/recent-objects.ts';
import type { StoredForm } from '../codec/stored-form.ts';
import type { Current } from '../objects/objects.ts';
import type { PluginChain } from '../plugins/plugins.ts';
import type { Answer, Operation, RequestSteps, ResourceRequest } from '../request/resource-request.ts';

/** The effect on the object: it is stored, removed from the store, or left exactly as it is. */
export type Effect = 'stored' | 'removed' | 'untouched';

/** One write as a verb describes it; the stages do the rest. */
export interface Write {
  /** A creation starts without an object, the others with the current one. */
  readonly operation: Exclude<Operation, 'CONNECT'>;
  /**
   * Computes the new object: the first function from the current one (an empty one in a creation), each other one from
   * the result of its predecessor. They may be called again with a fresher object, and must not modify their argument.
   * For a large object, other requests are served between them.
   */
  readonly change: ReadonlyArray<(object: JsonObject) => JsonObject>;
  /** the name of a new object, if its author chose it */
  readonly name?: string;
  /** The client named the resourceVersion that it changes: a conflict is returned, and not retried. */
  readonly pinned: boolean;
  /** Throws if the preconditions of a deletion do not hold for the current object. */
  readonly check?: (current: Current) => void;
  /**
   * The field owners: "compared" makes the author own the fields that differ, "applied" and "kept" leave owners as they
   * are.
   */
  readonly ownership?: 'compared' | 'applied' | 'kept';
  /** set by the change itself; otherwise a terminating object is removed when nothing keeps it */
  readonly effect?: () => Effect;
  /** the write to do instead if the object does not exist */
  readonly orCreate?: () => Promise<Write> | Write;
  /** the form that admission sees, where a subresource has a kind of its own */
  readonly view?: View;
  /** the request was admitted already, or the write is a consequence of an admitted one */
  readonly isAdmitted?: boolean;
  /** of a deletion: the options that admission sees, and whether they request a dry run */
  readonly options?: { readonly shown: () => JsonObject; readonly isDryRun: boolean };
  /** builds the answer, where it is not the object */
  readonly answer?: (written: Written) => Answer;
}

/** The form of an object in its subresource. */
export interface View {
  readonly kind: Kind;
  of(object: JsonObject): JsonObject;
  /** The object with the changes made to the view. */
  take(object: JsonObject, view: JsonObject): JsonObject;
}

/** The result of a write. */
export interface Written {
  readonly code: number;
  /** with its resourceVersion */
  readonly json: Buffer;
  readonly effect: Effect;
  readonly uid: string;
  /** the answer with the object itself */
  answer(): Answer;
}

/**
 * A write on its way through the stages. Each stage uses what earlier stages have set.
 *
 * Invariant: nothing is visible outside the request before the commit stage; an attempt can be abandoned at any stage.
 */
export interface Draft {
  readonly request: ResourceRequest;
  readonly write: Write;
  readonly isDryRun: boolean;
  readonly recent: RecentObjects;
  /** undefined: neither the request nor the current object is large */
  readonly steps: RequestSteps | undefined;
  /** undefined in a creation */
  readonly current: Current | undefined;
  readonly old: JsonObject | undefined;
  /** undefined: no plugin handles this write */
  readonly plugins: PluginChain | undefined;
  /** undefined: no webhook or policy matches */
  readonly requestAdmission: RequestAdmission | undefined;
  /** for Services */
  readonly allocator: ServiceAllocator | undefined;
  object: JsonObject;
  effect: Effect;
  /** the bytes to be stored */
  stored: StoredForm;
  /** the bytes of the answer; they differ where a webhook converts the stored version */
  shown: StoredForm;
  /** the conditions of the commit */
  guards: Guard[];
  /** the write changes nothing */
  isSame: boolean;
}

/** How an attempt ends. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** the object was not, or is no longer, the current one */
  | { readonly kind: 'stale' }
  /** an object of this name exists */
  | { readonly kind: 'taken'; readonly deleting: boolean };

/** A stage changes the draft, throws to reject it, or ends the attempt with an outcome. */
export interface Stage {
  readonly name: string;
  /** It may take long for a large object, so it runs as a step of its own. */
  readonly isHeavy?: boolean;
  /** It may need other versions of the object, and runs again after a webhook has converted it. */
  readonly converts?: boolean;
  applies(draft: Draft): boolean;
  run(draft: Draft): Outcome | undefined | Promise<Outcome | undefined> | Promise<void>;
}

/** The outcome of an answered write: the verb's own answer, or the object. */
export function answered(draft: Draft, { code, json, revision, object: state }: Shown): Outcome {
  const { request, write, effect, object, recent } = draft;
  const { uid = '' } = metaOf(object);
  const answer = () => {
    if (revision === undefined) return objectAnswer(request, code, json);
    const stored = { resource: request.kind.storedAs, revision, uid, json: () => json };
    return storedAnswer(recent, request, code, state === undefined ? stored : { ...stored, object: state });
  };
  const written = { code, json, effect, uid, answer };
  return { kind: 'answered', answer: write.answer?.(written) ?? answer() };
}

export interface Shown {
  readonly code: number;
  readonly json: Buffer;
  /** the revision at which the store has exactly this state, if there is one */
  readonly revision?: number;
  /** what a reader would parse from `json`, if it is at hand */
  readonly object?: () => JsonObject;
}
