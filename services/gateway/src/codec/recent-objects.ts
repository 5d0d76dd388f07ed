import { frozen, type JsonObject, parseOwnJson } from '@tidegate/schema';

/** The most bytes of JSON whose objects are kept. In memory the objects take some five times as much. */
const MAX_BYTES = 2 << 20;
/** Larger objects would displace many small ones. */
const LARGEST_BYTES = 64 << 10;

/** An object at its own revision. */
export interface Stored {
  /** the collection that it is in */
  readonly resource: string;
  readonly revision: number;
  readonly uid: string;
  /** with its resourceVersion */
  readonly json: () => Buffer;
  /** what its JSON would be parsed to, where the caller has it; undefined: it is parsed */
  readonly object?: () => JsonObject;
}

/** A form of stored objects that watchers and answers have in common. */
export interface CommonForm {
  readonly name: string;
  encode(object: JsonObject): Buffer;
}

interface Recent {
  readonly uid: string;
  readonly object: JsonObject;
  readonly bytes: number;
  readonly encoded: Map<string, Buffer>;
}

interface RecentObjectsOptions {
  /** whether a collection has watchers, which soon need the states that are written */
  readonly isWatched: (resource: string) => boolean;
  readonly maxBytes?: number;
}

/**
 * The objects of the last few moments, parsed and encoded. An object is written several times in a second when its life
 * begins, and each state is needed by the answer, by watchers with other selections, and by the next write. Objects of a
 * collection without watchers are not kept: mostly nobody needs them again, and they would only fill the old generation
 * of the heap.
 *
 * States that were committed here share the parts that a write did not change.
 *
 * Invariant: all states are as the store has them, in the version in which they are stored, so the revision alone
 * identifies one; kept objects are frozen, because their users share them. The oldest ones are forgotten first.
 */
export class RecentObjects {
  readonly #objects = new Map<number, Recent>();
  readonly #isWatched: RecentObjectsOptions['isWatched'];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ isWatched, maxBytes = MAX_BYTES }: RecentObjectsOptions) {
    this.#isWatched = isWatched;
    this.#maxBytes = maxBytes;
  }

  /** The object, which must not be changed. */
  parsed(stored: Stored): JsonObject {
    return this.#find(stored).object;
  }

  /** Keeps a state that was just committed. */
  add(stored: Stored): void {
    if (this.#isWatched(stored.resource)) this.#find(stored);
  }

  encoded(form: CommonForm, stored: Stored): Buffer {
    const { object, encoded } = this.#find(stored);
    let bytes = encoded.get(form.name);
    if (bytes === undefined) {
      bytes = form.encode(object);
      encoded.set(form.name, bytes);
    }
    return bytes;
  }

  #find({ resource, revision, uid, json, object }: Stored): Recent {
    const known = this.#objects.get(revision);
    // a store that gives a revision twice is broken, but must not mix up objects
    if (known?.uid === uid) return known;
    const bytes = json();
    const recent = { uid, object: object?.() ?? parseOwnJson(bytes), bytes: bytes.length, encoded: new Map() };
    const isKept = known === undefined && bytes.length <= LARGEST_BYTES && this.#isWatched(resource);
    if (isKept) this.#keep(revision, recent);
    return recent;
  }

  #keep(revision: number, recent: Recent): void {
    frozen(recent.object);
    this.#objects.set(revision, recent);
    this.#bytes += recent.bytes;
    for (const [oldest, { bytes }] of this.#objects) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#objects.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
