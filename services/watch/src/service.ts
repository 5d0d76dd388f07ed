import { WindowMemory } from '@tidegate/collection';
import {
  checkNats,
  delayMs,
  type Kit,
  type KitConfig,
  type NatsConfig,
  type Options,
  type Service,
} from '@tidegate/service-kit';
import { type Hole, type LogBatch, watch } from '@tidegate/wire';
import { StoreClient } from './clients/store-client.ts';
import type { options } from './config.ts';
import { Arrivals } from './feed/arrivals.ts';
import { BusSource } from './feed/bus-source.ts';
import { Feed } from './feed/feed.ts';
import { followLog } from './feed/log-source.ts';
import type { Follower } from './follow/follower.ts';
import { declareMetrics, type WatchMetrics } from './metrics.ts';
import { followHandler } from './rpc/follow.ts';
import { listHandler } from './rpc/list.ts';
import { SelfCheck } from './self-check/self-check.ts';
import type { Collections } from './window/collections.ts';
import { loadCollections } from './window/load.ts';
import { someReadable } from './window/mend.ts';

/** How long the bus may be late before the log is read. */
const GAP_DELAY_MS = 20;
/** How often objects that could not be read are tried again. */
const MEND_MS = 5000;

/**
 * Follows the stores and serves gateways.
 *
 * Invariant: followers are joined to the collections they read from; when these are rebuilt, every follower ends and
 * its gateway opens a new stream.
 */
export class WatchService implements Service {
  readonly #config: Options<typeof options> & KitConfig;
  readonly #kit: Kit;
  readonly #metrics: WatchMetrics;
  readonly #store: StoreClient;
  readonly #closing = new AbortController();
  readonly #followers = new Set<Follower>();
  readonly #bus: BusSource | undefined;
  readonly #selfCheck: SelfCheck;
  readonly rpc: NonNullable<Service['rpc']>;
  readonly #retries;
  readonly #arrivals = new Arrivals(() => (this.#collections === undefined ? 0 : this.revision()));
  #collections: Collections | undefined;
  #windows: WindowMemory;
  #feed: Feed | undefined;
  #epoch = 0;
  #whenLoaded = Promise.withResolvers<Collections>();

  constructor(config: Options<typeof options> & KitConfig, kit: Kit) {
    this.#config = config;
    this.#kit = kit;
    this.#retries = {
      load: kit.retries.loop('load the collections', { firstMs: 50, longestMs: 2000 }),
      readLog: kit.retries.loop('read the log', { firstMs: 100, longestMs: 1000 }),
      followLog: kit.retries.loop('follow the log', { firstMs: 100, longestMs: 1000 }),
      bus: kit.retries.loop('use the bus', { firstMs: 200, longestMs: 500 }),
      mend: kit.retries.loop('look at corrupt objects again', { firstMs: MEND_MS, longestMs: MEND_MS }),
      compare: kit.retries.loop('compare the collections', { firstMs: 1000, longestMs: 1000 }),
    };
    checkNats(config);
    this.#windows = this.#newWindows();
    this.#metrics = declareMetrics(kit.metrics, {
      objects: () => this.#collections?.size ?? 0,
      sizes: () => this.#collections?.sizes() ?? [],
      windows: () => this.#windows,
    });
    this.#store = new StoreClient(config.storeAddresses, kit.credentials.client('store'));
    this.#bus = config.natsUrl === '' ? undefined : this.#openBus(config);
    this.#selfCheck = this.#makeSelfCheck();
    const list = listHandler({ collectionsAt: (revision, over) => this.#collectionsAt(revision, over) });
    this.rpc = [[watch, { follow: followHandler(this.#room()), list }]];
    kit.load.watchers = () => this.#followers.size;
    kit.checks.add('collections', () =>
      this.#collections === undefined ? 'not loaded from the store yet' : undefined,
    );
    kit.checks.add('feed', () => (this.#feed?.behind ? 'behind the store' : undefined), { required: false });
    kit.checks.add('self-check', () => this.#selfCheck.trouble);
    const bus = this.#bus;
    if (bus !== undefined) {
      kit.checks.add('nats', () => (bus.alive ? undefined : 'silent; following the log of the store'), {
        required: false,
      });
    }
  }

  revision(): number {
    return this.#feed?.through ?? 0;
  }

  async start(): Promise<void> {
    void this.#bus?.run();
    void this.#load();
    void this.#mend();
    void this.#selfCheck.run();
    void followLog({
      store: this.#store,
      through: () => this.revision(),
      offer: (batch) => this.#feed?.offer(batch),
      // there is more than is here: the feed asks for it, and finds out that it cannot be had
      cut: () => this.#feed?.expect(this.revision() + 1),
      wanted: () => this.#feed !== undefined && this.#bus?.alive !== true,
      retry: this.#retries.followLog,
      closing: this.#closing.signal,
    });
  }

  async drain(): Promise<void> {
    this.#endFollowers();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    this.#feed?.close();
    this.#store.close();
  }

  #newWindows(): WindowMemory {
    return new WindowMemory({ bytes: this.#config.windowMemoryMib * 2 ** 20 });
  }

  #openBus(nats: NatsConfig): BusSource {
    return new BusSource({
      nats,
      offer: (batch) => this.#feed?.offer(batch),
      expect: (revision) => this.#feed?.expect(revision),
      log: this.#kit.log,
      retry: this.#retries.bus,
      tracing: this.#kit.tracing,
      closing: this.#closing.signal,
    });
  }

  #makeSelfCheck(): SelfCheck {
    return new SelfCheck({
      everySeconds: this.#config.selfCheckSeconds,
      digests: () => this.#store.digest(),
      collections: () => this.#collections,
      reach: (revision) => this.#reach(revision, this.#closing.signal),
      repair: (error) => this.#resync(error),
      compared: () => this.#metrics.comparisons.inc(),
      diverged: (resource) => this.#metrics.divergences.inc({ resource }),
      retry: this.#retries.compare,
      log: this.#kit.log,
      closing: this.#closing.signal,
    });
  }

  /** The revision may be one that does not exist; then this ends when nobody waits any longer. */
  #reach(revision: number, over: AbortSignal): Promise<void> {
    this.#feed?.expect(revision);
    return this.#arrivals.when(revision, over);
  }

  async #collectionsAt(revision: number, over: AbortSignal): Promise<Collections | undefined> {
    await this.#whenLoaded.promise;
    await this.#reach(revision, over);
    return over.aborted ? undefined : this.#whenLoaded.promise;
  }

  #room() {
    return {
      collections: () => this.#whenLoaded.promise,
      join: (follower: Follower) => {
        this.#followers.add(follower);
        this.#metrics.followers.set(this.#followers.size);
      },
      leave: (follower: Follower) => {
        this.#followers.delete(follower);
        this.#metrics.followers.set(this.#followers.size);
      },
      expect: (revision: number) => this.#feed?.expect(revision),
    };
  }

  async #load(): Promise<void> {
    const { signal } = this.#closing;
    const retry = this.#retries.load;
    while (!signal.aborted) {
      try {
        // those of collections that are given up go with them
        this.#windows = this.#newWindows();
        const { collections, head, epoch } = await loadCollections(this.#store, this.#windows);
        this.#epoch = epoch;
        this.#begin(collections, head);
        retry.succeeded();
        return;
      } catch (error) {
        await retry.failed(error, signal);
      }
    }
  }

  #begin(collections: Collections, head: number): void {
    const feed = new Feed(collections.through, {
      readLog: (after, through) => this.#store.readLog({ after, through }),
      deliver: (batch) => this.#apply(collections, feed, head, batch),
      lost: (error) => this.#resync(error),
      filled: () => this.#metrics.gapFills.inc(),
      gapDelayMs: GAP_DELAY_MS,
      retry: this.#retries.readLog,
    });
    this.#feed = feed;
    feed.expect(head);
    if (collections.through >= head) this.#complete(collections);
  }

  #apply(collections: Collections, feed: Feed, head: number, batch: LogBatch): void {
    // PostgreSQL has failed over and may have lost changes that are applied here already
    if (this.#collections !== undefined && batch.epoch !== this.#epoch)
      throw new Error(`epoch ${batch.epoch} has begun`);
    const hole = holeIn(batch);
    if (hole !== undefined) collections.addHole(hole);
    this.#epoch = batch.epoch;
    for (const change of batch.changes) {
      const span = this.#kit.tracing.child('watch.apply', change.traceparent);
      if (span !== undefined) change.traceparent = span.traceparent;
      collections.apply(change);
      span?.end();
    }
    collections.completeThrough(batch.last);
    this.#metrics.changes.inc(batch.changes.length);
    this.#kit.load.count(batch.changes.length);
    this.#metrics.revision.set(batch.last);
    if (this.#collections === undefined) {
      if (feed.through >= head) this.#complete(collections);
      return;
    }
    if (batch.committedAtMs) this.#kit.load.lagged(performance.timeOrigin + performance.now() - batch.committedAtMs);
    for (const follower of this.#followers) follower.push(batch);
    this.#arrivals.note();
  }

  #complete(collections: Collections): void {
    this.#collections = collections;
    const totals = { objects: collections.size, windowBytes: this.#windows.bytes };
    this.#kit.log.info({ revision: collections.through, ...totals }, 'All collections are complete.');
    this.#whenLoaded.resolve(collections);
    this.#arrivals.note();
  }

  /** A key that came back makes corrupt objects readable, without any change that would tell so. */
  async #mend(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delayMs(MEND_MS, signal);
      this.#windows.sweep();
      const corrupt = this.#collections?.corrupt() ?? [];
      this.#metrics.corruptObjects.set(corrupt.length);
      try {
        if (corrupt.length > 0 && (await someReadable(this.#store, corrupt))) {
          this.#resync(new Error('objects that were corrupt can be read again'));
        }
        this.#retries.mend.succeeded();
      } catch (error) {
        this.#retries.mend.failedNow(error);
      }
    }
  }

  /** The log was cut above us (we were stopped for longer than its window), or a change could not be applied. */
  #resync(error: unknown): void {
    this.#kit.log.warn({ err: error }, 'The feed cannot go on from here; everything is read anew.');
    this.#metrics.resyncs.inc();
    this.#collections = undefined;
    this.#feed = undefined;
    this.#whenLoaded = Promise.withResolvers<Collections>();
    this.#endFollowers();
    void this.#load();
  }

  #endFollowers(): void {
    for (const follower of this.#followers) follower.end();
    this.#followers.clear();
    this.#metrics.followers.set(0);
  }
}

/** Batches are without gaps, but for the first one of an epoch: it begins with the revisions that may be lost. */
function holeIn({ first, last, changes }: LogBatch): Hole | undefined {
  const firstNew = changes[0]?.revision ?? last + 1;
  return firstNew > first ? { lastSurviving: first - 1, firstNew } : undefined;
}
