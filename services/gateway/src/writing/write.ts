import { type Kind, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Guard } from '@tidegate/wire';
import type { Admitting } from '../admission/admitting.ts';
import type { ServiceAllocator } from '../allocation/service-allocator.ts';
import { objectAnswer } from '../codec/answer.ts';
import type { StoredForm } from '../codec/stored-form.ts';
import type { Current } from '../objects/objects.ts';
import type { Station } from '../plugins/plugins.ts';
import type { Answer, Operation, RequestSteps, ResourceRequest } from '../request/resource-request.ts';

/** What becomes of the object: it is stored, removed from the store, or left exactly as it is. */
export type Fate = 'stored' | 'removed' | 'untouched';

/** One write as a verb describes it; the pipeline does the rest. */
export interface Write {
  /** A creation begins with no object, the others with the current one. */
  readonly operation: Exclude<Operation, 'CONNECT'>;
  /**
   * Makes the new object: the first function from the current one (from an empty one in a creation), each of the others from
   * the result of the one before. They may be called again with a fresher object and must not change what they are given.
   * Where the object is large, other requests are served between them.
   */
  readonly change: ReadonlyArray<(object: JsonObject) => JsonObject>;
  /** of a new object, where its author has given it one */
  readonly name?: string;
  /** The client named the version that it wants to change: a conflict is its answer, and not a reason to try again. */
  readonly pinned: boolean;
  /** Refuses the current object, by the preconditions of a deletion. */
  readonly check?: (current: Current) => void;
  /** Whose fields changed: "compared" gives those that differ to the author, "applied" and "kept" leave the owners as they are. */
  readonly ownership?: 'compared' | 'applied' | 'kept';
  /** decided by the change itself; otherwise an object that is being deleted is removed when nothing holds it any more */
  readonly fate?: () => Fate;
  /** the write that takes its place where there is no object yet */
  readonly orCreate?: () => Promise<Write> | Write;
  /** what admission sees, where a subresource has a kind of its own */
  readonly view?: View;
  /** the request itself was admitted already, or this write is a consequence of one that was */
  readonly isAdmitted?: boolean;
  /** of a deletion: the options that admission is shown, and whether they ask for a dry run */
  readonly options?: { readonly shown: () => JsonObject; readonly isDryRun: boolean };
  /** makes the answer, where it is not the object */
  readonly answer?: (written: Written) => Answer;
}

/** An object as its subresource shows it. */
export interface View {
  readonly kind: Kind;
  of(object: JsonObject): JsonObject;
  /** The object with what the view says. */
  take(object: JsonObject, view: JsonObject): JsonObject;
}

/** The result of a write. */
export interface Written {
  readonly code: number;
  /** with its resourceVersion */
  readonly json: Buffer;
  readonly fate: Fate;
  readonly uid: string;
}

/**
 * A write on its way through the stages. Each stage reads what the earlier ones have set.
 *
 * Invariant: nothing of it is visible outside the request before the commit stage; an attempt can be dropped at any stage.
 */
export interface Draft {
  readonly request: ResourceRequest;
  readonly write: Write;
  readonly isDryRun: boolean;
  /** undefined: neither the request nor the current object is large */
  readonly steps: RequestSteps | undefined;
  /** undefined in a creation */
  readonly current: Current | undefined;
  readonly old: JsonObject | undefined;
  /** undefined: no plugin is concerned */
  readonly plugins: Station | undefined;
  /** undefined: no webhook and no policy is concerned */
  readonly admitting: Admitting | undefined;
  /** of Services */
  readonly allotment: ServiceAllocator | undefined;
  object: JsonObject;
  fate: Fate;
  /** the bytes to be stored */
  stored: StoredForm;
  /** the bytes to be answered with; they differ where a webhook converts the stored version */
  shown: StoredForm;
  /** what must hold when the object is committed */
  guards: Guard[];
  /** the object is what it was before */
  isSame: boolean;
  /** for the author of the object; told when the write is done */
  warnings: readonly string[];
}

/** How an attempt ends. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** the object was not, or is not any more, the current one */
  | { readonly kind: 'stale' }
  /** there is an object of this name */
  | { readonly kind: 'taken'; readonly deleting: boolean };

/** A stage changes the draft, refuses it by an error, or ends the attempt with an outcome. */
export interface Stage {
  readonly name: string;
  /** It may take long for a large object, so it runs in steps of its own. */
  readonly isHeavy?: boolean;
  /** It may need the object in other versions, for which it is run again when a webhook has converted it. */
  readonly converts?: boolean;
  applies(draft: Draft): boolean;
  run(draft: Draft): Outcome | undefined | Promise<Outcome | undefined> | Promise<void>;
}

/** The outcome of a write that is answered with an object: in the words of its verb, or as the object itself. */
export function answered(draft: Draft, { code, json }: { code: number; json: Buffer }): Outcome {
  const { request, write, fate, object, warnings } = draft;
  request.warnings.push(...warnings);
  const written = { code, json, fate, uid: metaOf(object).uid ?? '' };
  return { kind: 'answered', answer: write.answer?.(written) ?? objectAnswer(request, code, json) };
}
