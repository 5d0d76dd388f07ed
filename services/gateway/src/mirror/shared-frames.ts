import type { Frames } from '../codec/event-frames.ts';

export interface Shared {
  readonly wish: string;
  readonly frames: Frames;
  users: number;
}

/**
 * The frames of all watches that want the same of a collection: their bytes are made once, for all of them.
 *
 * Invariant: frames are kept while somebody uses them.
 */
export class SharedFrames {
  readonly #byWish = new Map<string, Shared>();

  get size(): number {
    return this.#byWish.size;
  }

  acquire(wish: string, make: () => Frames): Shared {
    let shared = this.#byWish.get(wish);
    if (shared === undefined) {
      shared = { wish, frames: make(), users: 0 };
      this.#byWish.set(wish, shared);
    }
    shared.users++;
    return shared;
  }

  release(shared: Shared): void {
    if (--shared.users === 0) this.#byWish.delete(shared.wish);
  }
}
