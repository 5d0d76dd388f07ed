import type { Collection, WindowMemory } from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import { delayMs, type Kit, type Retry, type Tracing } from '@tidegate/service-kit';
import type { FollowResponse, Key } from '@tidegate/wire';
import { FollowStream } from '../clients/follow-stream.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { FanOut } from './fan-out.ts';
import { Mirror, type Suspect, suspectName } from './mirror.ts';
import type { Subscriber } from './subscriber.ts';

interface MirrorsOptions {
  addresses: readonly string[];
  credentials: ReturnType<Kit['credentials']['client']>;
  /** the backoff while no watch service can be followed */
  retry: Retry;
  tracing: Tracing;
  metrics: GatewayMetrics;
  /** the memory of the windows of all mirrors */
  windows: WindowMemory;
  /** above this the least recently used mirrors are evicted */
  memoryBytes: number;
  /** a collection larger than this is mirrored for watches only */
  largestBytes: number;
  /** whether objects in lists of this resource have no kind and apiVersion */
  isTypeless: (resource: string) => boolean;
  /** gets the lag of each batch of changes */
  lagged: (ms: number) => void;
  now?: () => number;
}

const CONNECT_MS = 5000;
/** An unused mirror is evicted after this time. */
const IDLE_MS = 300_000;

/**
 * The collections that this process mirrors: opened on demand, followed over one stream, evicted when idle.
 *
 * Invariant: every change of an opened collection is applied to its mirror before any reader gets a revision that
 * includes it.
 */
export class Mirrors {
  readonly #options: MirrorsOptions;
  readonly #byResource = new Map<string, Mirror>();
  readonly #stream: FollowStream;
  readonly #now: () => number;
  #sweep: NodeJS.Timeout | undefined;
  readonly #kept = new Set<string>();
  readonly #fanOut = new FanOut();
  readonly #followers = new Map<string, Array<() => void>>();
  /** as the watch service reported them; it does not report small collections */
  readonly #sizes = new Map<string, number>();
  readonly #whenConnected = Promise.withResolvers<void>();
  #connected = false;
  #through = toRevision(0);
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MirrorsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#stream = new FollowStream({
      addresses: options.addresses,
      credentials: options.credentials,
      retry: options.retry,
      received: (response) => this.#receive(response),
      connected: () => this.#openAll(),
      lost: () => {
        this.#connected = false;
      },
    });
  }

  get connected(): boolean {
    return this.#connected;
  }

  get through(): Revision {
    return this.#through;
  }

  /** When `through` last moved: a change of any collection was committed. */
  get movedAt(): number {
    return this.#movedAt;
  }

  start(): void {
    void this.#stream.run();
    this.#sweep = setInterval(() => this.#dropIdle(), 30_000);
    this.#sweep.unref();
  }

  stop(): void {
    clearInterval(this.#sweep);
    this.#stream.close();
  }

  /** Mirrors a resource for the lifetime of this process. */
  keep(resource: string): void {
    this.#kept.add(resource);
    this.open(resource);
  }

  /** Calls back after each change of a mirror, before any reader gets a revision that includes the change. */
  follow(resource: string, changed: () => void): void {
    this.#followers.set(resource, [...(this.#followers.get(resource) ?? []), changed]);
  }

  /** The mirror of a resource, opened if necessary. */
  open(resource: string): Mirror {
    let mirror = this.#byResource.get(resource);
    if (mirror === undefined) {
      mirror = new Mirror(resource, this.#options.windows, this.#options.isTypeless(resource));
      this.#byResource.set(resource, mirror);
      this.#options.metrics.mirrors.set(this.#byResource.size);
      this.#stream.send({ open: [resource] });
    }
    mirror.usedAt = this.#now();
    return mirror;
  }

  /** Opens the mirror of a resource, unless it is too large. Returns whether it has the collection already. */
  openForReads(resource: string): boolean {
    // without a connection the size is unknown
    if (!this.#byResource.has(resource) && (!this.#connected || this.#isLarge(resource))) return false;
    return this.open(resource).collection !== undefined;
  }

  /** The collection if it is already mirrored. */
  peek(resource: string): Collection | undefined {
    return this.#byResource.get(resource)?.collection;
  }

  /** The number of watches of a resource in this process. */
  watchers(resource: string): number {
    return this.#byResource.get(resource)?.subscribers.size ?? 0;
  }

  /** Whether a collection is not mirrored and too large to be mirrored for reads only. */
  async isTooLarge(resource: string): Promise<boolean> {
    if (this.#byResource.has(resource)) return false;
    // a stream begins with the sizes; without a connection the reader waits for the collection instead
    await Promise.race([this.#whenConnected.promise, delayMs(CONNECT_MS)]);
    return this.#isLarge(resource);
  }

  /** Whether a revision that may not exist yet is reached within a time. */
  async reaches(revision: Revision, timeoutMs: number): Promise<boolean> {
    // the watch service reports every revision for a kept mirror
    const [kept] = this.#kept;
    if (this.#through >= revision || kept === undefined) return this.#through >= revision;
    return (await this.collectionIfReached(kept, revision, timeoutMs)) !== undefined;
  }

  /** The same as `collection` for a revision that may not exist: the watch service is not asked for it. */
  collectionIfReached(resource: string, revision: Revision, timeoutMs: number): Promise<Collection | undefined> {
    return this.open(resource).when(revision, timeoutMs);
  }

  /** The collection, complete through an existing revision; undefined after the timeout. */
  async collection(resource: string, revision: Revision, timeoutMs: number): Promise<Collection | undefined> {
    const mirror = this.open(resource);
    if (mirror.collection === undefined || mirror.collection.through < revision)
      this.#stream.send({ waitFor: revision });
    return mirror.when(revision, timeoutMs);
  }

  /** The store reports that this object cannot be read. */
  suspect({ key, revision }: Suspect): void {
    this.#byResource.get(key.resource)?.suspects.set(suspectName(key), { key, revision });
  }

  /** The object can be read after all, or was deleted. */
  clear(key: Key): void {
    this.#byResource.get(key.resource)?.suspects.delete(suspectName(key));
  }

  /** Whether the store could not read the object at the last attempt. */
  isSuspect(key: Key): boolean {
    const suspects = this.#byResource.get(key.resource)?.suspects;
    return suspects !== undefined && suspects.size > 0 && suspects.has(suspectName(key));
  }

  /** Objects of a namespace ("" for all) that the store could not read at the last attempt. */
  suspects(resource: string, namespace: string): Key[] {
    const suspects = this.#byResource.get(resource)?.suspects;
    if (suspects === undefined || suspects.size === 0) return [];
    const keys = [...suspects.values()].map(({ key }) => key);
    return keys.filter((key) => namespace === '' || key.namespace === namespace);
  }

  /** For shutdown: ends at most so many watches with a last bookmark, as if their timeout had passed. */
  endWatches(most: number): void {
    let left = most;
    for (const { subscribers } of this.#byResource.values()) {
      const ending = [...subscribers].slice(0, left);
      for (const subscriber of ending) endWatch(subscriber);
      left -= ending.length;
      if (left === 0) return;
    }
  }

  /** The same for the watches of one resource. */
  endWatchesOf(resource: string): void {
    for (const subscriber of [...(this.#byResource.get(resource)?.subscribers ?? [])]) endWatch(subscriber);
  }

  #isLarge(resource: string): boolean {
    return (this.#sizes.get(resource) ?? 0) > this.#options.largestBytes;
  }

  #openAll(): void {
    for (const mirror of this.#byResource.values()) mirror.reopen();
    const open = [...this.#byResource.keys()];
    this.#stream.send({ open });
  }

  #receive(response: FollowResponse): void {
    this.#connected = true;
    for (const { resource, bytes } of response.sizes ?? []) {
      this.#sizes.set(resource, bytes);
      this.#options.metrics.collectionBytes.set({ resource }, bytes);
    }
    this.#whenConnected.resolve();
    const { opening } = response;
    if (opening) this.#byResource.get(opening.resource)?.receiveOpening(opening);
    if (opening?.opened) this.#dropForMemory();
    const changed = new Set<Mirror>();
    const followed = new Set(opening?.opened ? [opening.resource] : []);
    for (const change of response.changes ?? []) {
      const mirror = this.#byResource.get(change.key.resource);
      if (mirror === undefined) continue;
      const span = this.#options.tracing.child('gateway.fan-out', change.traceparent, {
        attributes: { 'tidegate.subscribers': mirror.subscribers.size },
      });
      if (mirror.apply(change)) {
        changed.add(mirror);
        if (this.#followers.has(mirror.resource)) followed.add(mirror.resource);
      }
      span?.end();
    }
    for (const resource of followed) for (const changed of this.#followers.get(resource) ?? []) changed();
    if (!response.through) return;
    const through = toRevision(response.through);
    if (through > this.#through) this.#movedAt = this.#now();
    this.#through = through;
    this.#options.metrics.mirrorRevision.set(through);
    for (const mirror of this.#byResource.values()) mirror.completeThrough(through);
    for (const mirror of changed) this.#fanOut.wake(mirror.subscribers);
    if (response.committedAtMs) this.#noteLag(response.committedAtMs);
  }

  /** The time from the commit in a store until the subscribers of this process are woken. */
  #noteLag(committedAtMs: number): void {
    const lagMs = Math.max(0, performance.timeOrigin + performance.now() - committedAtMs);
    this.#options.metrics.lagSeconds.observe(lagMs / 1000);
    this.#options.lagged(lagMs);
  }

  /** The number of all watches in this process. */
  get watching(): number {
    let count = 0;
    for (const mirror of this.#byResource.values()) count += mirror.subscribers.size;
    return count;
  }

  #dropIdle(): void {
    const now = this.#now();
    for (const [resource, mirror] of this.#byResource) {
      if (this.#mayGo(mirror) && now - mirror.usedAt >= IDLE_MS) this.#drop(resource);
    }
    this.#options.windows.sweep();
    this.#dropForMemory();
  }

  /** Evicts the least recently used mirrors while all together are too large; they are opened again on demand. */
  #dropForMemory(): void {
    const { memoryBytes, metrics } = this.#options;
    const mirrors = [...this.#byResource.values()].sort((a, b) => a.usedAt - b.usedAt);
    let bytes = mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0);
    // the most recently used mirror stays in any case, because it is being read
    for (const mirror of mirrors.slice(0, -1)) {
      if (bytes <= memoryBytes) break;
      if (!this.#mayGo(mirror)) continue;
      bytes -= mirror.bytes;
      this.#drop(mirror.resource);
    }
    metrics.mirrorBytes.set(bytes);
  }

  #mayGo(mirror: Mirror): boolean {
    return mirror.collection !== undefined && !mirror.needed && !this.#kept.has(mirror.resource);
  }

  #drop(resource: string): void {
    this.#byResource.get(resource)?.close();
    this.#byResource.delete(resource);
    this.#stream.send({ close: [resource] });
    this.#options.metrics.mirrors.set(this.#byResource.size);
  }
}

function endWatch(subscriber: Subscriber): void {
  subscriber.bookmark();
  subscriber.end();
}
