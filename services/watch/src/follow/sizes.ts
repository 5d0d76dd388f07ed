import type { CollectionSize } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';

/** Collections below this are small, however many bytes they have. */
const SMALL_BYTES = 1 << 20;
/** Sizes are told when they have changed by one part in so many. */
const CHANGED_PART = 8;

/** How large collections are, for one gateway: what it was told already is not told again. */
export class Sizes {
  readonly #collections: Collections;
  readonly #told = new Map<string, number>();

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  /** What the gateway does not know yet. */
  changed(): CollectionSize[] {
    const news: CollectionSize[] = [];
    for (const resource of this.#collections.resources()) {
      const bytes = this.#collections.get(resource).stateBytes;
      const told = this.#told.get(resource) ?? 0;
      if (Math.max(bytes, told) < SMALL_BYTES || Math.abs(bytes - told) * CHANGED_PART < told) continue;
      this.#told.set(resource, bytes);
      news.push({ resource, bytes });
    }
    return news;
  }
}
