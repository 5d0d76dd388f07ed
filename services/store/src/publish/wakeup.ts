import type { Closing } from '@tidegate/service-kit';

/** Wakes the callers that wait for an event. While no caller waits, events are only counted. */
export class Wakeup {
  /** how often it was woken */
  count = 0;
  readonly #waiting = new Set<() => void>();

  wake(): void {
    this.count++;
    for (const resolve of [...this.#waiting]) resolve();
  }

  /** Resolves when it is woken, after the timeout, or when closing is aborted. */
  wait(timeoutMs: number, closing: Closing): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      const waiting = this.#waiting;
      function done(): void {
        clearTimeout(timer);
        closing.removeEventListener('abort', done);
        waiting.delete(done);
        resolve();
      }
      closing.addEventListener('abort', done, { once: true });
      waiting.add(done);
    });
  }
}
