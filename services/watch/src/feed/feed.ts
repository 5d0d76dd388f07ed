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
  retryDelayMs: number;
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
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #setTimer: (run: () => void, ms: number) => unknown;
  readonly #early = new Map<number, LogBatch>();
  #through: number;
  /** the newest revision that is known to exist */
  #known: number;
  #filling = false;
  #closed = false;

  constructor(after: number, options: FeedOptions) {
    this.#through = after;
    this.#known = after;
    this.#options = options;
    this.#setTimer = options.setTimer ?? ((run, ms) => setTimeout(run, ms).unref());
  }

  get through(): number {
    return this.#through;
  }

  get behind(): boolean {
    return this.#known > this.#through;
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

  /** This revision exists: when the bus does not bring it soon, it is read from the log. */
  expect(revision: number): void {
    this.#expect(revision, this.#options.gapDelayMs);
  }

  #expect(revision: number, delayMs: number): void {
    if (revision > this.#known) this.#known = revision;
    if (this.behind && !this.#filling && !this.#closed) {
      this.#filling = true;
      this.#setTimer(() => void this.#fill(), delayMs);
    }
  }

  close(): void {
    this.#closed = true;
  }

  #deliver(batch: LogBatch): void {
    const first = Math.max(batch.first, this.#through + 1);
    const changes = first === batch.first ? batch.changes : batch.changes.filter((c) => c.revision >= first);
    this.#through = batch.last;
    if (batch.last > this.#known) this.#known = batch.last;
    try {
      this.#options.deliver({ ...batch, first, changes });
    } catch (error) {
      // a change that cannot be applied must not be skipped: everything is read anew
      this.#closed = true;
      this.#options.lost(error);
    }
  }

  #deliverEarly(): void {
    for (let next = this.#nextEarly(); next !== undefined; next = this.#nextEarly()) {
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
    try {
      while (this.behind && !this.#closed) {
        this.#options.filled?.();
        for await (const batch of this.#options.readLog(this.#through, this.#known)) {
          if (this.#closed) return;
          if (batch.last > this.#through) this.#deliver(batch);
          this.#deliverEarly();
        }
      }
      this.#filling = false;
    } catch (error) {
      if ((error as { code?: unknown }).code === 410) {
        this.#closed = true;
        this.#options.lost(error);
        return;
      }
      this.#setTimer(() => void this.#fill(), this.#options.retryDelayMs);
    }
  }
}
