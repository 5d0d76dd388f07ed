import type { Closing } from '@tidegate/service-kit';

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
}

/**
 * Readers that wait until the feed is complete through a revision.
 *
 * Invariant: a waiter is kept only until its revision has arrived or its call has ended. Only changes wake it; it does not
 * poll, so a revision that never arrives costs no more than the memory of the waiter.
 */
export class Arrivals {
  readonly #through: () => number;
  #waiters: Waiter[] = [];

  constructor(through: () => number) {
    this.#through = through;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves when the revision has arrived, or when closing is aborted. */
  when(revision: number, closing: Closing): Promise<void> {
    if (this.#through() >= revision || closing.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        resolve: () => {
          closing.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        waiter.resolve();
      };
      closing.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** Wakes the waiters whose revision has arrived. */
  note(): void {
    if (this.#waiters.length === 0) return;
    const through = this.#through();
    const arrived = this.#waiters.filter(({ revision }) => revision <= through);
    if (arrived.length === 0) return;
    this.#waiters = this.#waiters.filter(({ revision }) => revision > through);
    for (const waiter of arrived) waiter.resolve();
  }
}
