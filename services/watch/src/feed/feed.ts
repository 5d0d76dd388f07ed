import type { Retry } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';

export interface FeedOptions {
  /** reads the store's log, for changes that the bus did not deliver */
  readLog: (after: number, through: number) => AsyncIterable<LogBatch>;
  /** receives every change once, in the order of revisions */
  deliver: (batch: LogBatch) => void;
  /**
   * called when the log no longer reaches back to the feed's position, or a change could not be delivered; the feed
   * ends
   */
  lost: (error: unknown) => void;
  /** called when the log was read */
  filled?: () => void;
  /** how long the feed waits for the bus before it reads the log */
  gapDelayMs: number;
  /** the pauses between attempts to read the log */
  retry: Pick<Retry, 'failedNow' | 'succeeded'>;
  setTimer?: (run: () => void, ms: number) => unknown;
}

/**
 * Puts changes in order, even if the bus loses, repeats or reorders them.
 *
 * Invariant: `deliver` receives every revision from `through + 1` on, each once, without a gap. Early batches wait,
 * repeated batches are dropped, and missing changes are read from the log after a short delay.
 *
 *   at 7: [8-9] → delivered, at 9.  [12-13] → waits.  [8-9] again → dropped.  20 ms later the log gives [10-11] →
 *   delivered, and with it [12-13], at 13.
 *
 * An expected revision is only a hint: one read of the log shows whether it exists. If it does not, the hint is
 * dropped, so that a caller that names a future revision cannot make the feed read the log forever.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #setTimer: (run: () => void, ms: number) => unknown;
  readonly #early = new Map<number, LogBatch>();
  #through: number;
  /** the newest expected revision, until a read of the log has shown that it does not exist */
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

  /** Takes a batch from the bus or the log; batches may come in any order, and repeatedly. */
  offer(batch: LogBatch): void {
    if (this.#closed || batch.last <= this.#through) return;
    const whole = !batch.changes.some((change) => change.byReference);
    if (whole && batch.first <= this.#through + 1) {
      this.#deliver(batch);
      this.#deliverEarly();
    } else if (whole) this.#early.set(batch.first, batch);
    // the content of a change that is only a reference is only in the log
    this.#expect(batch.last, whole ? this.#options.gapDelayMs : 0);
  }

  /** Announces a revision that may exist. If the bus does not deliver it soon, the log is read once for it. */
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
      // a change that cannot be applied must not be skipped: all collections are read again
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
      // this feed has ended, and another one may have replaced it
      if (this.#closed) return;
      if ((error as { code?: unknown }).code === 410) {
        this.#closed = true;
        lost(error);
        return;
      }
      this.#fillAfter(retry.failedNow(error));
    }
  }

  /**
   * Reads through the revision or to the end of the log; a revision beyond the end did not exist when it was expected.
   */
  async #readLog(through: number): Promise<void> {
    for await (const batch of this.#options.readLog(this.#through, through)) {
      if (this.#closed) return;
      if (batch.last > this.#through) this.#deliver(batch);
      this.#deliverEarly();
    }
    if (this.#expected <= through) this.#expected = this.#through;
  }
}
