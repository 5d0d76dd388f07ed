import { type Closing, delayMs, type Retry } from '@tidegate/service-kit';
import type { LeaderLease } from '../port.ts';

const RENEW_MS = 2000;

interface LeaderElectionOptions {
  readonly lease: Pick<LeaderLease, 'seconds' | 'hold' | 'release'>;
  /** counts failed attempts to renew the lease */
  readonly retry: Pick<Retry, 'failedNow' | 'succeeded'>;
  readonly now?: () => number;
}

/**
 * Decides whether this process is the leader. The lease is renewed independently of the controllers' work, so a long
 * step does not lose it.
 *
 * Invariant: `fence` returns a value only while the lease cannot have expired by this process's own clock, counted from
 * before the renewal was sent. The fence rejects any write that arrives later.
 */
export class LeaderElection {
  readonly #lease: LeaderElectionOptions['lease'];
  readonly #retry: LeaderElectionOptions['retry'];
  readonly #now: () => number;
  #fence: number | undefined;
  #until = 0;

  constructor({ lease, retry, now = () => performance.now() }: LeaderElectionOptions) {
    this.#lease = lease;
    this.#retry = retry;
    this.#now = now;
  }

  /** The fence of the current term, or undefined while this process is not the leader. */
  get fence(): number | undefined {
    return this.#now() < this.#until ? this.#fence : undefined;
  }

  /** Runs until closing is aborted, waits for the work to end, and then releases the lease. */
  async run(closing: Closing, work: Promise<unknown>): Promise<void> {
    const leaseMs = this.#lease.seconds * 1000;
    while (!closing.aborted) {
      const requestedAt = this.#now();
      try {
        this.#fence = await this.#lease.hold();
        this.#until = this.#fence === undefined ? 0 : requestedAt + leaseMs;
        this.#retry.succeeded();
      } catch (error) {
        // a lease that could not be renewed is still valid until it expires
        this.#retry.failedNow(error);
      }
      await delayMs(Math.min(RENEW_MS, leaseMs / 4), closing);
    }
    await work;
    this.#until = 0;
    // an error of PostgreSQL: the lease expires by itself
    await this.#lease.release().catch(() => {});
  }
}
