import type { CollectionSize } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';

/** collections below this size count as small */
const SMALL_BYTES = 1 << 20;
/** a size is sent again when it has changed by more than 1/8 */
const CHANGED_FRACTION = 8;

/** The sizes of collections that were sent to one gateway. */
export class Sizes {
  readonly #collections: Collections;
  readonly #sent = new Map<string, number>();

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  /** Returns the sizes that the gateway does not know yet. */
  changed(): CollectionSize[] {
    const changed: CollectionSize[] = [];
    for (const resource of this.#collections.resources()) {
      const bytes = this.#collections.get(resource).stateBytes;
      const sent = this.#sent.get(resource) ?? 0;
      if (Math.max(bytes, sent) < SMALL_BYTES || Math.abs(bytes - sent) * CHANGED_FRACTION < sent) continue;
      this.#sent.set(resource, bytes);
      changed.push({ resource, bytes });
    }
    return changed;
  }
}
