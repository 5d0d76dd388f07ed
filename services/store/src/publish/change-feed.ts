import type { Closing } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';
import { Wakeup } from './wakeup.ts';

const RECENT = { batches: 256, bytes: 8 << 20 };

interface Recent {
  readonly batch: LogBatch;
  readonly bytes: number;
}

/**
 * The new changes that this replica knows: its own commits, and the newest revision of the other replicas.
 * Invariant: the revision never decreases. Recent batches are kept within a limit of bytes; a follower that does not
 * find its batch reads the log.
 */
export class ChangeFeed {
  readonly #recent = new Map<number, Recent>();
  readonly #wakeup = new Wakeup();
  #recentBytes = 0;
  #revision = 0;
  #followers = 0;

  get revision(): number {
    return this.#revision;
  }

  /** whether there is a follower, for which commits of other replicas are polled */
  get followed(): boolean {
    return this.#followers > 0;
  }

  /** Counts a follower until its signal is aborted. */
  join(closing: Closing): void {
    this.#followers++;
    closing.addEventListener('abort', () => this.#followers--, { once: true });
  }

  /** Adds a commit of this replica. */
  committed(batch: LogBatch): void {
    const bytes = batch.changes.reduce((sum, change) => sum + change.value.length + 256, 0);
    if (this.#followers > 0 && bytes < RECENT.bytes) {
      this.#recent.set(batch.first, { batch, bytes });
      this.#recentBytes += bytes;
      this.#trim();
    }
    this.advance(batch.last);
    this.#wakeup.wake();
  }

  /** Records that this revision exists. */
  advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#wakeup.wake();
  }

  /** The commit that follows a revision, if this replica made it recently. */
  batchAfter(revision: number): LogBatch | undefined {
    return this.#recent.get(revision + 1)?.batch;
  }

  /** Resolves at the next change, after the timeout, or when closing is aborted. */
  nextChange(timeoutMs: number, closing: Closing): Promise<void> {
    return this.#wakeup.wait(timeoutMs, closing);
  }

  #trim(): void {
    for (const [first, { bytes }] of this.#recent) {
      if (this.#recent.size <= RECENT.batches && this.#recentBytes <= RECENT.bytes) return;
      this.#recent.delete(first);
      this.#recentBytes -= bytes;
    }
  }
}
