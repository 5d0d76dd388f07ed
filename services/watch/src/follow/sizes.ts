import type { CollectionSize } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';

/** Collections below this are small, however many bytes they have. */
const SMALL_BYTES = 1 << 20;
/** Sizes are looked at no more often than this, */
const LOOK_MS = 500;
/** and told when they have changed by one part in so many. */
const CHANGED_PART = 8;

/** How large collections are, for one gateway: what it was told already is not told again. */
export class Sizes {
  readonly #collections: Collections;
  readonly #now: () => number;
  readonly #told = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(collections: Collections, now = () => performance.now()) {
    this.#collections = collections;
    this.#now = now;
  }

  /** What the gateway does not know yet. */
  changed(): CollectionSize[] {
    const now = this.#now();
    if (now - this.#lookedAt < LOOK_MS) return [];
    this.#lookedAt = now;
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
