import type { CollectionSize } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';

/** collections below this size count as small */
const SMALL_BYTES = 1 << 20;
/** a size is sent when it has changed by one part in so many */
const CHANGED_PART = 8;

/** The sizes of collections that were sent to one gateway. */
export class Sizes {
  readonly #collections: Collections;
  readonly #sent = new Map<string, number>();

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  /** Returns the sizes that the gateway does not know yet. */
  changed(): CollectionSize[] {
    const news: CollectionSize[] = [];
    for (const resource of this.#collections.resources()) {
      const bytes = this.#collections.get(resource).stateBytes;
      const sent = this.#sent.get(resource) ?? 0;
      if (Math.max(bytes, sent) < SMALL_BYTES || Math.abs(bytes - sent) * CHANGED_PART < sent) continue;
      this.#sent.set(resource, bytes);
      news.push({ resource, bytes });
    }
    return news;
  }
}
