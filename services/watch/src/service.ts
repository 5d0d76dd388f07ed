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
import { type LogBatch, watch } from '@tidegate/wire';
import { StoreClient } from './clients/store-client.ts';
import type { options } from './config.ts';
import { BusSource } from './feed/bus-source.ts';
import { CurrentCollections } from './feed/current-collections.ts';
import { followLog } from './feed/log-source.ts';
import { Followers } from './follow/followers.ts';
import { declareMetrics, type WatchMetrics } from './metrics.ts';
import { followHandler } from './rpc/follow.ts';
import { listHandler } from './rpc/list.ts';
import { SelfCheck } from './self-check/self-check.ts';
import { someReadable } from './window/readable-again.ts';

/** interval of retrying to read unreadable objects */
const RETRY_UNREADABLE_MS = 5000;
/** how soon the log source checks again whether there is a feed */
const NO_FEED_MS = 150;

/** Follows the changes of the stores, and sends them to gateways. */
export class WatchService implements Service {
  readonly #config: Options<typeof options> & KitConfig;
  readonly #kit: Kit;
  readonly #metrics: WatchMetrics;
  readonly #store: StoreClient;
  readonly #closing = new AbortController();
  readonly #followers: Followers;
  readonly #current: CurrentCollections;
  readonly #bus: BusSource | undefined;
  readonly #selfCheck: SelfCheck;
  readonly rpc: NonNullable<Service['rpc']>;
  readonly #retries;

  constructor(config: Options<typeof options> & KitConfig, kit: Kit) {
    this.#config = config;
    this.#kit = kit;
    this.#retries = {
      load: kit.retries.loop('load the collections', { firstMs: 50, longestMs: 2000 }),
      readLog: kit.retries.loop('read the log', { firstMs: 100, longestMs: 1000 }),
      followLog: kit.retries.loop('follow the log', { firstMs: 100, longestMs: 1000 }),
      bus: kit.retries.loop('use the bus', { firstMs: 200, longestMs: 500 }),
      unreadable: kit.retries.loop('look at corrupt objects again', {
        firstMs: RETRY_UNREADABLE_MS,
        longestMs: RETRY_UNREADABLE_MS,
      }),
      compare: kit.retries.loop('compare the collections', { firstMs: 1000, longestMs: 1000 }),
    };
    checkNats(config);
    this.#metrics = declareMetrics(kit.metrics, {
      objects: () => this.#current.complete?.size ?? 0,
      sizes: () => this.#current.complete?.sizes() ?? [],
      windows: () => this.#current.windows,
    });
    this.#store = new StoreClient(config.storeAddresses, kit.credentials.client('store'));
    this.#followers = new Followers((count) => this.#metrics.followers.set(count));
    this.#current = this.#makeCollections();
    this.#bus = config.natsUrl === '' ? undefined : this.#openBus(config);
    this.#selfCheck = this.#makeSelfCheck();
    this.rpc = [[watch, { follow: followHandler(this.#followOptions()), list: listHandler(this.#current) }]];
    kit.load.watchers = () => this.#followers.size;
    this.#addChecks();
  }

  revision(): number {
    return this.#current.revision;
  }

  async start(): Promise<void> {
    void this.#bus?.run();
    void this.#current.load();
    void this.#retryUnreadable();
    void this.#selfCheck.run();
    void followLog({
      store: this.#store,
      through: () => this.revision(),
      offer: (batch) => this.#current.offer(batch),
      // the feed then reads the log for the next revision, and finds that the log is truncated
      truncated: () => this.#current.expect(this.revision() + 1),
      restMs: () => (this.#current.hasFeed ? (this.#bus?.aliveForMs ?? 0) : NO_FEED_MS),
      retry: this.#retries.followLog,
      closing: this.#closing.signal,
    });
  }

  async drain(): Promise<void> {
    this.#followers.end();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    this.#current.close();
    this.#store.close();
  }

  #addChecks(): void {
    const { checks } = this.#kit;
    checks.add('collections', () =>
      this.#current.complete === undefined ? 'not loaded from the store yet' : undefined,
    );
    checks.add('feed', () => (this.#current.isBehind ? 'behind the store' : undefined), { required: false });
    checks.add('self-check', () => this.#selfCheck.trouble);
    const bus = this.#bus;
    if (bus !== undefined) {
      checks.add('nats', () => (bus.alive ? undefined : 'silent; following the log of the store'), {
        required: false,
      });
    }
  }

  #makeCollections(): CurrentCollections {
    const { log, tracing } = this.#kit;
    return new CurrentCollections({
      store: this.#store,
      newWindows: () => new WindowMemory({ bytes: this.#config.windowMemoryMib * 2 ** 20 }),
      followers: this.#followers,
      applied: (batch, isLive) => this.#countApplied(batch, isLive),
      filled: () => this.#metrics.gapFills.inc(),
      rebuilding: () => this.#metrics.resyncs.inc(),
      tracing,
      log,
      retries: this.#retries,
      closing: this.#closing.signal,
    });
  }

  #openBus(nats: NatsConfig): BusSource {
    return new BusSource({
      nats,
      offer: (batch) => this.#current.offer(batch),
      expect: (revision) => this.#current.expect(revision),
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
      collections: () => this.#current.complete,
      reach: (revision) => this.#current.reach(revision, this.#closing.signal),
      repair: (collections, error) => this.#current.rebuild(collections, error),
      compared: () => this.#metrics.comparisons.inc(),
      diverged: (resource) => this.#metrics.divergences.inc({ resource }),
      retry: this.#retries.compare,
      log: this.#kit.log,
      closing: this.#closing.signal,
    });
  }

  #followOptions(): Parameters<typeof followHandler>[0] {
    return {
      collections: () => this.#current.whenComplete(),
      join: (follower) => this.#followers.join(follower),
      leave: (follower) => this.#followers.leave(follower),
      expect: (revision) => this.#current.expect(revision),
    };
  }

  #countApplied({ changes, last, committedAtMs }: LogBatch, isLive: boolean): void {
    const { load } = this.#kit;
    this.#metrics.changes.inc(changes.length);
    load.count(changes.length);
    this.#metrics.revision.set(last);
    if (isLive && committedAtMs) load.noteLag(performance.timeOrigin + performance.now() - committedAtMs);
  }

  /**
   * Corrupt objects become readable when an encryption key is restored, but no change reports that: so they are
   * retried.
   */
  async #retryUnreadable(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delayMs(RETRY_UNREADABLE_MS, signal);
      this.#current.windows.sweep();
      const collections = this.#current.complete;
      const corrupt = collections?.corrupt() ?? [];
      this.#metrics.corruptObjects.set(corrupt.length);
      try {
        if (collections !== undefined && corrupt.length > 0 && (await someReadable(this.#store, corrupt))) {
          this.#current.rebuild(collections, new Error('objects that were corrupt can be read again'));
        }
        this.#retries.unreadable.succeeded();
      } catch (error) {
        this.#retries.unreadable.failedNow(error);
      }
    }
  }
}
