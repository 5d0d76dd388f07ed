import type { WindowMemory } from '@tidegate/collection';
import type { Logger, Retry, Tracing } from '@tidegate/service-kit';
import type { Hole, LogBatch } from '@tidegate/wire';
import type { StoreClient } from '../clients/store-client.ts';
import type { Collections } from '../window/collections.ts';
import { loadCollections } from '../window/load.ts';
import { Arrivals } from './arrivals.ts';
import { Feed, type FeedOptions } from './feed.ts';

/** How long the bus may be late before the log is read. */
const GAP_DELAY_MS = 20;

interface CurrentCollectionsOptions {
  store: Pick<StoreClient, 'head' | 'list' | 'readLog'>;
  /** memory for the history of collections that are loaded anew */
  newWindows: () => WindowMemory;
  /** the streams that read from these collections */
  followers: { push: (batch: LogBatch) => void; end: () => void };
  /** a batch was applied; it is live when the collections were complete before it */
  applied: (batch: LogBatch, isLive: boolean) => void;
  /** the log was read because the bus did not bring a change in time */
  filled: () => void;
  /** everything is read from the store again */
  rebuilding: () => void;
  tracing: Pick<Tracing, 'child'>;
  log: Pick<Logger, 'info' | 'warn'>;
  retries: { load: Pick<Retry, 'failed' | 'succeeded'>; readLog: FeedOptions['retry'] };
  closing: AbortSignal;
  setTimer?: FeedOptions['setTimer'];
}

/**
 * The collections of this process: loaded from the store, kept complete by a feed, and loaded anew when the feed cannot
 * go on.
 *
 * Invariant: there is at most one feed, and it changes only the collections that it was made for. Readers get collections
 * that are complete, or wait for them. When collections are replaced, every follower ends first, so that none of them
 * reads what nobody updates any more.
 *
 *   loading → catching up, until the head that the store had told is reached → complete → (rebuild) → loading
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

  /** undefined while they are being loaded or catch up */
  get complete(): Collections | undefined {
    return this.#complete;
  }

  get windows(): WindowMemory {
    return this.#windows;
  }

  /** The feed is complete through this revision; 0 while there is none. */
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

  /** A batch from the bus or the log, in any order, any number of times. */
  offer(batch: LogBatch): void {
    this.#feed?.offer(batch);
  }

  /** Somebody waits for this revision, or has heard that it exists. */
  expect(revision: number): void {
    this.#feed?.expect(revision);
  }

  /** Resolves at the revision, or when the call is over: the revision may be one that never comes. */
  reach(revision: number, over: AbortSignal): Promise<void> {
    this.expect(revision);
    return this.#arrivals.when(revision, over);
  }

  /** The collections, complete through the revision; undefined when the call is over before. */
  async at(revision: number, over: AbortSignal): Promise<Collections | undefined> {
    await this.whenComplete();
    await this.reach(revision, over);
    return over.aborted ? undefined : this.whenComplete();
  }

  /** Resolves when the collections have been read, and the feed has begun to bring what happened since. */
  async load(): Promise<void> {
    const { store, newWindows, retries, closing } = this.#options;
    while (!closing.aborted) {
      try {
        // the history of collections that are given up goes with them
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

  /** What is wrong with these collections cannot be repaired by further changes. Does nothing when others have replaced them. */
  rebuild(collections: Collections, error: unknown): void {
    if (this.#complete === collections) this.#loadAnew(error);
  }

  close(): void {
    this.#feed?.close();
  }

  #follow(collections: Collections, head: number): void {
    const { store, filled, retries, setTimer } = this.#options;
    const feed = new Feed(collections.through, {
      readLog: (after, through) => store.readLog({ after, through }),
      deliver: (batch) => this.#apply(collections, head, batch),
      lost: (error) => this.#loadAnew(error),
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
    // PostgreSQL has failed over and may have lost changes that are applied here already
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

  #loadAnew(error: unknown): void {
    this.#options.log.warn({ err: error }, 'The feed cannot go on from here; everything is read anew.');
    this.#options.rebuilding();
    // it may be in the middle of reading the log
    this.#feed?.close();
    this.#feed = undefined;
    // those who wait already are served by the next collections
    if (this.#complete !== undefined) this.#whenComplete = Promise.withResolvers<Collections>();
    this.#complete = undefined;
    this.#options.followers.end();
    void this.load();
  }
}

/** Batches are without gaps, but for the first one of an epoch: it begins with the revisions that may be lost. */
function holeIn({ first, last, changes }: LogBatch): Hole | undefined {
  const firstNew = changes[0]?.revision ?? last + 1;
  return firstNew > first ? { lastSurviving: first - 1, firstNew } : undefined;
}
