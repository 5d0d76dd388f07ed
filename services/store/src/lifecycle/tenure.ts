import { type Closing, delayMs, type Retry } from '@tidegate/service-kit';

const AGAIN_MS = 2000;

interface TenureOptions {
  readonly seconds: number;
  /** counts the times at which the lease could not be asked for */
  readonly retry: Pick<Retry, 'failedNow' | 'succeeded'>;
  readonly now?: () => number;
}

interface Holdable {
  hold(): Promise<number | undefined>;
  release(): Promise<void>;
}

/**
 * The time for which this replica holds the lease. It is renewed apart from the work, so that no long step loses it.
 * Invariant: a fence is told only while the lease cannot have ended by this process's own clock, counted from before it
 * was asked for; whatever is written later is refused by the fence.
 */
export class Tenure {
  readonly #lease: Holdable;
  readonly #seconds: number;
  readonly #retry: TenureOptions['retry'];
  readonly #now: () => number;
  #fence: number | undefined;
  #until = 0;

  constructor(lease: Holdable, { seconds, retry, now = () => performance.now() }: TenureOptions) {
    this.#lease = lease;
    this.#seconds = seconds;
    this.#retry = retry;
    this.#now = now;
  }

  get fence(): number | undefined {
    return this.#now() < this.#until ? this.#fence : undefined;
  }

  /** Until closing is aborted; then the lease is given back when all work has ended. */
  async run(closing: Closing, work: Promise<unknown>): Promise<void> {
    while (!closing.aborted) {
      const asked = this.#now();
      try {
        this.#fence = await this.#lease.hold();
        this.#until = this.#fence === undefined ? 0 : asked + this.#seconds * 1000;
        this.#retry.succeeded();
      } catch (error) {
        // what is held is held to its end
        this.#retry.failedNow(error);
      }
      await delayMs(Math.min(AGAIN_MS, (this.#seconds * 1000) / 4), closing);
    }
    await work;
    this.#until = 0;
    // PostgreSQL is away: the lease ends by itself
    await this.#lease.release().catch(() => {});
  }
}
