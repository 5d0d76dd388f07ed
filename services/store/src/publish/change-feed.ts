import type { Closing } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';
import { Wakeup } from './wakeup.ts';

const RECENT = { batches: 256, bytes: 8 << 20 };

interface Recent {
  readonly batch: LogBatch;
  readonly bytes: number;
}

/**
 * What this replica knows of new changes: its own commits as they are, and from the other replicas how far the
 * revision has come. Invariant: the revision never goes back; batches are kept by their first revision, within a
 * bound of bytes, and whoever does not find his reads the log.
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

  /** somebody follows: worth polling for the other replicas' commits */
  get followed(): boolean {
    return this.#followers > 0;
  }

  /** Counts a follower until its signal is aborted. */
  join(closing: Closing): void {
    this.#followers++;
    closing.addEventListener('abort', () => this.#followers--, { once: true });
  }

  /** A commit of this replica. */
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

  /** This revision exists. */
  advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#wakeup.wake();
  }

  /** The commit that comes next after a revision, when it was this replica's and not long ago. */
  batchAfter(revision: number): LogBatch | undefined {
    return this.#recent.get(revision + 1)?.batch;
  }

  /** Resolves at the next news, after the time, or when closing is aborted. */
  news(timeoutMs: number, closing: Closing): Promise<void> {
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
