import { failureKind } from '@tidegate/database';
import { Retry } from '@tidegate/service-kit';
import { ApiError, tooManyRequests } from '@tidegate/status';
import { awayError } from './commit-batcher.ts';

const PAUSES = { firstMs: 50, longestMs: 400 };

interface BatcherOptions<Item, Result> {
  /** answers the items in their order */
  run: (items: Item[]) => Promise<Result[]>;
  inFlight: number;
  size: number;
  waiting: number;
  /** how long a PostgreSQL that is away is waited for */
  patienceMs: number;
  now?: () => number;
}

interface Waiting<Item, Result> {
  readonly items: readonly Item[];
  readonly resolve: (results: Result[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Questions to PostgreSQL that travel together. Invariant: a question is answered by a call that is sent after it was
 * asked, never by one in flight, so that the answer is as fresh as the question.
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

  ask(items: readonly Item[]): Promise<Result[]> {
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
      const results = await this.#persist(taken.flatMap((waiting) => waiting.items));
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

  /** A read changes nothing, so it is simply sent again while PostgreSQL may be coming back. */
  async #persist(items: Item[]): Promise<Result[]> {
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
        if (this.#now() - begun >= this.#options.patienceMs) throw awayError(kind, error);
        await retry.failed(error);
      }
    }
  }
}
