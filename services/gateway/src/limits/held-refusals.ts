import { delayMs } from '@tidegate/service-kit';

/** Refusals say that a client should come again after a second: for this second they are held back. */
const HELD_MS = 1000;
const MOST_HELD = 5000;

/**
 * Refusals that are not told yet. Who is refused and sends the next request at once would make this process refuse for a
 * living: reading a request and answering it takes about as long as serving a small one. A connection that waits for its
 * answer sends nothing.
 *
 * Invariant: a bounded number is held; beyond it they are told at once.
 */
export class HeldRefusals {
  #held = 0;

  async hold(): Promise<void> {
    if (this.#held >= MOST_HELD) return;
    this.#held++;
    try {
      await delayMs(HELD_MS);
    } finally {
      this.#held--;
    }
  }
}
