import { Collection, type CollectionEvent, type Item, itemParts } from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import type { Change } from '@tidegate/wire';

/**
 * Every collection of the system.
 *
 * Invariant: all of them are complete through the same revision, `through`.
 */
export class Collections {
  readonly #byResource = new Map<string, Collection>();
  readonly #base: number;
  readonly #windowBytes: number;
  #through: number;

  /** objects: the whole system at `base`, in the order (resource, namespace, name) */
  constructor(base: number, objects: ReadonlyMap<string, Item[]>, windowBytes: number) {
    this.#base = base;
    this.#through = base;
    this.#windowBytes = windowBytes;
    for (const [resource, items] of objects) this.#byResource.set(resource, this.#collection(items));
  }

  get through(): number {
    return this.#through;
  }

  /** A resource without any object has a collection, too: an empty one. */
  get(resource: string): Collection {
    let collection = this.#byResource.get(resource);
    if (collection === undefined) {
      collection = this.#collection([]);
      this.#byResource.set(resource, collection);
    }
    collection.completeThrough(toRevision(this.#through));
    return collection;
  }

  apply(change: Change): CollectionEvent {
    return this.get(change.key.resource).apply({
      kind: change.kind,
      state: itemParts(change),
      traceparent: change.traceparent,
    });
  }

  completeThrough(revision: number): void {
    this.#through = revision;
  }

  totals(): { objects: number; windowBytes: number } {
    let objects = 0;
    let windowBytes = 0;
    for (const collection of this.#byResource.values()) {
      objects += collection.size;
      windowBytes += collection.window.bytes;
    }
    return { objects, windowBytes };
  }

  #collection(items: Item[]): Collection {
    const base = toRevision(this.#base);
    return new Collection({ revision: base, floor: base, items, windowBytes: this.#windowBytes });
  }
}
