import type { Frames } from '../codec/event-frames.ts';
import type { Subscriber } from './subscriber.ts';

/** How long one turn of the loop may be spent on writing to watchers. */
const TURN_MS = 1;
/** so many are written to between two looks at the clock */
const BETWEEN_LOOKS = 8;

/**
 * Writes news to watchers, a few at a time.
 *
 * Invariant: a subscriber that was woken is pumped once after its wake, however often it was woken before. Between turns
 * the loop does everything else, so that a thousand watchers do not hold up a request; and what happens meanwhile
 * reaches those who are still to come together with what woke them, in one write.
 */
export class FanOut {
  #waiting: Subscriber[] = [];
  #next = 0;
  #running = false;

  wake(subscribers: Iterable<Subscriber>): void {
    for (const subscriber of subscribers) {
      if (subscriber.woken) continue;
      subscriber.woken = true;
      this.#waiting.push(subscriber);
    }
    if (!this.#running) this.#run();
  }

  #run(): void {
    this.#running = true;
    const end = performance.now() + TURN_MS;
    while (this.#next < this.#waiting.length) {
      const subscriber = this.#waiting[this.#next++] as Subscriber;
      subscriber.woken = false;
      subscriber.pump();
      if (this.#next % BETWEEN_LOOKS === 0 && performance.now() >= end) {
        setImmediate(() => this.#run());
        return;
      }
    }
    this.#waiting = [];
    this.#next = 0;
    this.#running = false;
  }
}

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
