import type { Frames } from '../codec/event-frames.ts';
import type { Subscriber } from './subscriber.ts';

/** The time that one turn of the event loop may spend on writing to subscribers. */
const TURN_MS = 1;
/** the number of subscribers that are written to between two readings of the clock */
const BETWEEN_LOOKS = 8;

/**
 * Writes new events to subscribers, a few in each turn of the event loop.
 *
 * Invariant: after one or more wakeups a subscriber is pumped once. Between turns the event loop serves other work, so
 * that a thousand subscribers do not delay a request; events that arrive meanwhile reach the remaining subscribers in
 * the same write.
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
  readonly options: string;
  readonly frames: Frames;
  users: number;
}

/**
 * Shares the frames among all watches of a collection with the same options, so that their bytes are made once.
 *
 * Invariant: frames are kept exactly while a watch uses them.
 */
export class SharedFrames {
  readonly #byOptions = new Map<string, Shared>();

  get size(): number {
    return this.#byOptions.size;
  }

  acquire(options: string, make: () => Frames): Shared {
    let shared = this.#byOptions.get(options);
    if (shared === undefined) {
      shared = { options, frames: make(), users: 0 };
      this.#byOptions.set(options, shared);
    }
    shared.users++;
    return shared;
  }

  release(shared: Shared): void {
    if (--shared.users === 0) this.#byOptions.delete(shared.options);
  }
}
