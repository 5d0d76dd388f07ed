import type { Retry } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';

export interface FeedOptions {
  /** the store's log, for what the bus did not bring */
  readLog: (after: number, through: number) => AsyncIterable<LogBatch>;
  /** gets every change once, in revision order */
  deliver: (batch: LogBatch) => void;
  /** the log no longer reaches back to where the feed is, or a change could not be delivered: nothing follows */
  lost: (error: unknown) => void;
  /** the log was read */
  filled?: () => void;
  /** the log is read only when the bus has had this long */
  gapDelayMs: number;
  /** the pauses of a log that cannot be read */
  retry: Pick<Retry, 'failedNow' | 'succeeded'>;
  setTimer?: (run: () => void, ms: number) => unknown;
}

/**
 * Puts changes in order, whatever the bus does to them.
 *
 * Invariant: deliver gets every revision from `through + 1` on, each once, without a gap. Batches that come early
 * wait; batches that were seen are dropped; what is missing is read from the log after a short delay.
 *
 *   at 7: [8-9] → delivered, at 9.  [12-13] → waits.  [8-9] again → dropped.  20 ms later the log gives [10-11] →
 *   delivered, and with it [12-13], at 13.
 *
 * A revision that somebody expects is a hint and no more: one read of the log shows whether it exists. When it does not,
 * the hint is forgotten, so that nobody can make the feed read the log for ever by naming a revision of the future.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #setTimer: (run: () => void, ms: number) => unknown;
  readonly #early = new Map<number, LogBatch>();
  #through: number;
  /** the newest revision that somebody expects, until a read of the log has shown that it does not exist */
  #expected: number;
  #filling = false;
  #closed = false;

  constructor(after: number, options: FeedOptions) {
    this.#through = after;
    this.#expected = after;
    this.#options = options;
    this.#setTimer = options.setTimer ?? ((run, ms) => setTimeout(run, ms).unref());
  }

  get through(): number {
    return this.#through;
  }

  get behind(): boolean {
    return this.#expected > this.#through;
  }

  /** A batch from the bus or the log, in any order, any number of times. */
  offer(batch: LogBatch): void {
    if (this.#closed || batch.last <= this.#through) return;
    const whole = !batch.changes.some((change) => change.byReference);
    if (whole && batch.first <= this.#through + 1) {
      this.#deliver(batch);
      this.#deliverEarly();
    } else if (whole) this.#early.set(batch.first, batch);
    // nothing else will bring what is only mentioned here
    this.#expect(batch.last, whole ? this.#options.gapDelayMs : 0);
  }

  /** This revision may exist: when the bus does not bring it soon, the log is asked for it, once. */
  expect(revision: number): void {
    this.#expect(revision, this.#options.gapDelayMs);
  }

  #expect(revision: number, delayMs: number): void {
    if (revision > this.#expected) this.#expected = revision;
    if (this.#filling) return;
    this.#filling = true;
    this.#fillAfter(delayMs);
  }

  #fillAfter(delayMs: number): void {
    if (this.behind && !this.#closed) this.#setTimer(() => void this.#fill(), delayMs);
    else this.#filling = false;
  }

  close(): void {
    this.#closed = true;
  }

  #deliver(batch: LogBatch): void {
    const first = Math.max(batch.first, this.#through + 1);
    const changes = first === batch.first ? batch.changes : batch.changes.filter((c) => c.revision >= first);
    this.#through = batch.last;
    if (batch.last > this.#expected) this.#expected = batch.last;
    try {
      this.#options.deliver({ ...batch, first, changes });
    } catch (error) {
      // a change that cannot be applied must not be skipped: everything is read anew
      this.#closed = true;
      this.#options.lost(error);
    }
  }

  #deliverEarly(): void {
    for (let next = this.#nextEarly(); next !== undefined && !this.#closed; next = this.#nextEarly()) {
      this.#early.delete(next.first);
      if (next.last > this.#through) this.#deliver(next);
    }
  }

  #nextEarly(): LogBatch | undefined {
    const exact = this.#early.get(this.#through + 1);
    if (exact !== undefined || this.#early.size === 0) return exact;
    for (const batch of this.#early.values()) if (batch.first <= this.#through + 1) return batch;
    return undefined;
  }

  async #fill(): Promise<void> {
    const { filled, retry, lost, gapDelayMs } = this.#options;
    try {
      if (this.behind && !this.#closed) {
        filled?.();
        await this.#readLog(this.#expected);
        retry.succeeded();
      }
      this.#fillAfter(gapDelayMs);
    } catch (error) {
      // nobody reads from this feed any more, and another one may be in its place
      if (this.#closed) return;
      if ((error as { code?: unknown }).code === 410) {
        this.#closed = true;
        lost(error);
        return;
      }
      this.#fillAfter(retry.failedNow(error));
    }
  }

  /** Reads to the end of the log or through the revision. What is beyond that end did not exist when it was expected. */
  async #readLog(through: number): Promise<void> {
    for await (const batch of this.#options.readLog(this.#through, through)) {
      if (this.#closed) return;
      if (batch.last > this.#through) this.#deliver(batch);
      this.#deliverEarly();
    }
    if (this.#expected <= through) this.#expected = this.#through;
  }
}
