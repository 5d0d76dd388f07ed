import type { Closing } from '@tidegate/service-kit';

/** Who waits for news hears of them at once. Of what nobody waits for only the count is kept. */
export class Bell {
  /** how often it has rung */
  rings = 0;
  readonly #waiting = new Set<() => void>();

  ring(): void {
    this.rings++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when it rings, after the time, or when closing is aborted. */
  heard(timeoutMs: number, closing: Closing): Promise<void> {
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
