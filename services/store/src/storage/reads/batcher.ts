import { failureKind } from '@tidegate/database';
import { Retry } from '@tidegate/service-kit';
import { ApiError, tooManyRequests } from '@tidegate/status';
import { unavailableError } from '../unavailable-error.ts';

const PAUSES = { firstMs: 50, longestMs: 400 };

interface BatcherOptions<Item, Result> {
  /** returns the results in the order of the items */
  run: (items: Item[]) => Promise<Result[]>;
  inFlight: number;
  size: number;
  waiting: number;
  /** how long a failed call is retried while PostgreSQL cannot be reached */
  retryForMs: number;
  now?: () => number;
}

interface Waiting<Item, Result> {
  readonly items: readonly Item[];
  readonly resolve: (results: Result[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends reads to PostgreSQL together. Invariant: a read is answered by a call that is sent after the read arrived,
 * never by a call in flight, so that the result is not older than the read.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #now: () => number;
  #queue: Array<Waiting<Item, Result>> = [];
  #queued = 0;
  #running = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get length(): number {
    return this.#queued;
  }

  submit(items: readonly Item[]): Promise<Result[]> {
    if (this.#queued + items.length > this.#options.waiting) {
      return Promise.reject(tooManyRequests('the store has too many reads waiting, please try again later'));
    }
    this.#queued += items.length;
    return new Promise((resolve, reject) => {
      this.#queue.push({ items, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#options.inFlight || this.#queue.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    const taken: Array<Waiting<Item, Result>> = [];
    let size = 0;
    while (this.#queue.length > 0 && (size === 0 || size + this.#queue[0]!.items.length <= this.#options.size)) {
      const next = this.#queue.shift() as Waiting<Item, Result>;
      size += next.items.length;
      taken.push(next);
    }
    this.#queued -= size;
    if (taken.length === 0) return;
    this.#running++;
    this.#schedule();
    try {
      const results = await this.#runWithRetries(taken.flatMap((waiting) => waiting.items));
      let at = 0;
      for (const { items, resolve } of taken) {
        resolve(results.slice(at, at + items.length));
        at += items.length;
      }
    } catch (error) {
      for (const waiting of taken) waiting.reject(error as Error);
    }
    this.#running--;
    this.#schedule();
  }

  /** A read has no effects, so it is sent again while PostgreSQL may come back. */
  async #runWithRetries(items: Item[]): Promise<Result[]> {
    const begun = this.#now();
    const retry = new Retry(PAUSES);
    for (;;) {
      try {
        return await this.#options.run(items);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        const kind = failureKind(error);
        const final = kind === 'refused' || kind === 'unexpected';
        if (final) throw ApiError.from(error);
        if (this.#now() - begun >= this.#options.retryForMs) throw unavailableError(kind, error);
        await retry.failed(error);
      }
    }
  }
}
