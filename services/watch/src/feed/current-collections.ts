import type { WindowMemory } from '@tidegate/collection';
import type { Logger, Retry, Tracing } from '@tidegate/service-kit';
import type { Hole, LogBatch } from '@tidegate/wire';
import type { StoreClient } from '../clients/store-client.ts';
import type { Collections } from '../window/collections.ts';
import { loadCollections } from '../window/load.ts';
import { Arrivals } from './arrivals.ts';
import { Feed, type FeedOptions } from './feed.ts';

/** how long the bus may be late before the log is read */
const GAP_DELAY_MS = 20;

interface CurrentCollectionsOptions {
  store: Pick<StoreClient, 'head' | 'list' | 'readLog'>;
  /** creates memory for the history of newly loaded collections */
  newWindows: () => WindowMemory;
  /** the streams that read from these collections */
  followers: { push: (batch: LogBatch) => void; end: () => void };
  /** called when a batch was applied; it is live when the collections were complete before it */
  applied: (batch: LogBatch, isLive: boolean) => void;
  /** called when the log was read because the bus did not deliver a change in time */
  filled: () => void;
  /** called before all collections are read again */
  rebuilding: () => void;
  tracing: Pick<Tracing, 'child'>;
  log: Pick<Logger, 'info' | 'warn'>;
  retries: { load: Pick<Retry, 'failed' | 'succeeded'>; readLog: FeedOptions['retry'] };
  closing: AbortSignal;
  setTimer?: FeedOptions['setTimer'];
}

/**
 * The collections of this process. They are loaded from the store, kept complete by a feed, and loaded again when the
 * feed cannot continue.
 *
 * Invariant: there is at most one feed, and it changes only the collections that it was created for. Readers get
 * complete collections, or wait for them. Before collections are replaced, every follower ends, so that none of them
 * reads collections that are no longer updated.
 *
 *   loading → catching up, until the head that the store reported is reached → complete → (rebuild) → loading
 */
export class CurrentCollections {
  readonly #options: CurrentCollectionsOptions;
  readonly #arrivals = new Arrivals(() => (this.#complete === undefined ? 0 : this.revision));
  #windows: WindowMemory;
  #complete: Collections | undefined;
  #feed: Feed | undefined;
  #epoch = 0;
  #whenComplete = Promise.withResolvers<Collections>();

  constructor(options: CurrentCollectionsOptions) {
    this.#options = options;
    this.#windows = options.newWindows();
  }

  /** undefined while they are loading or catching up */
  get complete(): Collections | undefined {
    return this.#complete;
  }

  get windows(): WindowMemory {
    return this.#windows;
  }

  /** The revision through which the feed is complete; 0 while there is no feed. */
  get revision(): number {
    return this.#feed?.through ?? 0;
  }

  get hasFeed(): boolean {
    return this.#feed !== undefined;
  }

  get isBehind(): boolean {
    return this.#feed?.behind ?? false;
  }

  whenComplete(): Promise<Collections> {
    return this.#whenComplete.promise;
  }

  /** Takes a batch from the bus or the log; batches may come in any order, and repeatedly. */
  offer(batch: LogBatch): void {
    this.#feed?.offer(batch);
  }

  /** Announces a revision that a reader waits for, or that a store has reported. */
  expect(revision: number): void {
    this.#feed?.expect(revision);
  }

  /** Resolves when the feed reaches the revision, or when the call ends, because the revision may never arrive. */
  reach(revision: number, callEnded: AbortSignal): Promise<void> {
    this.expect(revision);
    return this.#arrivals.when(revision, callEnded);
  }

  /** The collections, complete through the revision; undefined if the call ends before that. */
  async at(revision: number, callEnded: AbortSignal): Promise<Collections | undefined> {
    await this.whenComplete();
    await this.reach(revision, callEnded);
    return callEnded.aborted ? undefined : this.whenComplete();
  }

  /** Resolves when the collections are loaded, and a feed follows later changes. */
  async load(): Promise<void> {
    const { store, newWindows, retries, closing } = this.#options;
    while (!closing.aborted) {
      try {
        // the old collections and their history are released together
        this.#windows = newWindows();
        const { collections, head, epoch } = await loadCollections(store, this.#windows);
        this.#epoch = epoch;
        this.#follow(collections, head);
        retries.load.succeeded();
        return;
      } catch (error) {
        await retries.load.failed(error, closing);
      }
    }
  }

  /** Loads all collections again. Does nothing if these collections were already replaced. */
  rebuild(collections: Collections, error: unknown): void {
    if (this.#complete === collections) this.#reload(error);
  }

  close(): void {
    this.#feed?.close();
  }

  #follow(collections: Collections, head: number): void {
    const { store, filled, retries, setTimer } = this.#options;
    const feed = new Feed(collections.through, {
      readLog: (after, through) => store.readLog({ after, through }),
      deliver: (batch) => this.#apply(collections, head, batch),
      lost: (error) => this.#reload(error),
      filled,
      gapDelayMs: GAP_DELAY_MS,
      retry: retries.readLog,
      ...(setTimer && { setTimer }),
    });
    this.#feed = feed;
    feed.expect(head);
    if (collections.through >= head) this.#completed(collections);
  }

  #apply(collections: Collections, head: number, batch: LogBatch): void {
    const isLive = this.#complete !== undefined;
    // PostgreSQL has failed over, and may have lost changes that were applied here
    if (isLive && batch.epoch !== this.#epoch) throw new Error(`epoch ${batch.epoch} has begun`);
    const hole = holeIn(batch);
    if (hole !== undefined) collections.addHole(hole);
    this.#epoch = batch.epoch;
    for (const change of batch.changes) {
      const span = this.#options.tracing.child('watch.apply', change.traceparent);
      if (span !== undefined) change.traceparent = span.traceparent;
      collections.apply(change);
      span?.end();
    }
    collections.completeThrough(batch.last);
    this.#options.applied(batch, isLive);
    if (isLive) {
      this.#options.followers.push(batch);
      this.#arrivals.note();
    } else if (batch.last >= head) this.#completed(collections);
  }

  #completed(collections: Collections): void {
    this.#complete = collections;
    const totals = { objects: collections.size, windowBytes: this.#windows.bytes };
    this.#options.log.info({ revision: collections.through, ...totals }, 'All collections are complete.');
    this.#whenComplete.resolve(collections);
    this.#arrivals.note();
  }

  #reload(error: unknown): void {
    this.#options.log.warn({ err: error }, 'The feed cannot continue; all collections are read again.');
    this.#options.rebuilding();
    // the feed may be reading the log
    this.#feed?.close();
    this.#feed = undefined;
    // present waiters get the reloaded collections
    if (this.#complete !== undefined) this.#whenComplete = Promise.withResolvers<Collections>();
    this.#complete = undefined;
    this.#options.followers.end();
    void this.load();
  }
}

/** The hole at the beginning of an epoch's first batch, whose revisions may be lost. Other batches have no gaps. */
function holeIn({ first, last, changes }: LogBatch): Hole | undefined {
  const firstNew = changes[0]?.revision ?? last + 1;
  return firstNew > first ? { lastSurviving: first - 1, firstNew } : undefined;
}
