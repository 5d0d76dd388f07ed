import { DEFINITIONS } from '@tidegate/kinds';
import { checkNats, delayMs, type Kit, type Service } from '@tidegate/service-kit';
import { store, writeKind } from '@tidegate/wire';
import type { StoreConfig } from './config.ts';
import { controllerPort } from './controller-port.ts';
import { type ControllerName, enabledControllers } from './controllers/enabled-controllers.ts';
import { type ControllerMetrics, controllerMetrics } from './controllers/metrics.ts';
import { runControllers } from './controllers/run-controllers.ts';
import { ConfigurationFile } from './encryption/configuration-file.ts';
import { Vault } from './encryption/vault.ts';
import { type StoreMetrics, storeMetrics } from './metrics.ts';
import { Bus } from './publish/bus.ts';
import { ChangeFeed } from './publish/change-feed.ts';
import { changesOf, fetchLastStates } from './publish/changes-of.ts';
import { Listener } from './publish/listener.ts';
import { Publisher } from './publish/publisher.ts';
import { withoutSecrets } from './publish/split-batch.ts';
import { Wakeup } from './publish/wakeup.ts';
import { deleteCorruptHandler } from './rpc/delete-corrupt.ts';
import { followLogHandler } from './rpc/follow-log.ts';
import { digestHandler, headHandler, listHandler, readLogHandler } from './rpc/reads.ts';
import { sessionHandler } from './rpc/session.ts';
import { CommitBatcher, type Committed } from './storage/commits/commit-batcher.ts';
import { Database } from './storage/database.ts';
import { rotateLog, tableSizes } from './storage/log/head.ts';
import { LogReader } from './storage/log/log-reader.ts';
import { Lister } from './storage/reads/lister.ts';
import { HeadReader, KeyReader } from './storage/reads/reads.ts';

const FIRST_HEARTBEAT_MS = 100;
const PROBE_MS = 1000;
/** the maximum pause between attempts of periodic work that fails */
const LONGEST_PAUSE_MS = 2000;
const ENCRYPTION_MS = 2000;

/** The store. All its state is in PostgreSQL, so this process may be killed at any moment. */
export class StoreService implements Service {
  readonly rpc: NonNullable<Service['rpc']>;
  readonly #config: StoreConfig;
  readonly #kit: Kit;
  readonly #metrics: StoreMetrics;
  readonly #database: Database;
  readonly #vault = new Vault();
  readonly #feed = new ChangeFeed();
  readonly #heads: HeadReader;
  readonly #commits: CommitBatcher;
  readonly #reads: KeyReader;
  readonly #bus: Bus | undefined;
  readonly #publisher: Publisher | undefined;
  readonly #listener: Listener | undefined;
  readonly #controllers: ReadonlySet<ControllerName>;
  readonly #controllerMetrics: ControllerMetrics;
  #encryption: ConfigurationFile | undefined;
  readonly #definitionWritten = new Wakeup();
  readonly #closing = new AbortController();
  readonly #draining = new AbortController();
  #runningControllers: Promise<void> | undefined;

  constructor(config: StoreConfig, kit: Kit) {
    this.#config = config;
    this.#kit = kit;
    checkNats(config);
    this.#metrics = storeMetrics(kit.metrics);
    this.#controllerMetrics = controllerMetrics(kit.metrics);
    this.#controllers = enabledControllers(config.controllers);
    this.#database = new Database(config);
    if (config.encryptionProviderConfig !== '') {
      const file = new ConfigurationFile({ path: config.encryptionProviderConfig, vault: this.#vault, log: kit.log });
      this.#encryption = file;
      kit.checks.add('encryption-config', () => file.trouble, { required: false });
    }
    this.#heads = new HeadReader(this.#database.reads, (head) => {
      this.#feed.advance(head.revision);
      this.#metrics.floorRevision.set(head.floor);
    });
    this.#bus = config.natsUrl === '' ? undefined : this.#openBus();
    this.#publisher = this.#bus === undefined ? undefined : this.#openPublisher(this.#bus);
    this.#listener = this.#bus === undefined ? this.#openListener() : undefined;
    this.#commits = new CommitBatcher({
      pool: this.#database.commits,
      vault: this.#vault,
      notify: this.#bus === undefined,
      metrics: this.#metrics,
      tracing: kit.tracing,
      log: kit.log,
      onCommit: (committed) => this.#onCommit(committed),
    });
    this.#reads = new KeyReader(this.#database.reads, this.#vault, this.#metrics);
    const reader = new LogReader(this.#database.streams, this.#vault);
    this.rpc = [
      [
        store,
        {
          session: sessionHandler({
            commits: this.#commits,
            reads: this.#reads,
            heads: this.#heads,
            busTrouble: () => this.#busTrouble(),
            counted: (keys) => kit.load.count(keys),
          }),
          list: listHandler(new Lister(this.#database.streams, this.#vault)),
          readLog: readLogHandler(reader),
          followLog: followLogHandler({ reader, feed: this.#feed, closing: this.#draining.signal }),
          deleteCorrupt: deleteCorruptHandler({ commits: this.#commits, reads: this.#reads }),
          digest: digestHandler(this.#database.streams),
          head: headHandler(this.#heads),
        },
      ],
    ];
    kit.checks.add('postgres', () => this.#database.failing(), { wedged: () => undefined });
    if (this.#bus !== undefined) kit.checks.add('nats', () => this.#busTrouble(), { required: false });
  }

  #busTrouble(): string | undefined {
    return this.#bus !== undefined && this.#bus.ready === undefined ? 'not connected' : undefined;
  }

  revision(): number {
    return this.#feed.revision;
  }

  async start(): Promise<void> {
    this.#encryption?.open();
    const { facts, moved } = await this.#database.open({ allowDataLoss: this.#config.allowDataLoss });
    if (moved) this.#kit.log.warn('The database has moved to another PostgreSQL server: a new epoch begins.');
    this.#kit.log.info({ postgresVersion: facts.version }, 'The database is open.');
    await this.#heads.read();
    void this.#listener?.start();
    void this.#bus?.run();
    this.#runningControllers = this.#runControllers();
    const publisher = this.#publisher;
    if (publisher !== undefined)
      void this.#repeat('tell the revision', FIRST_HEARTBEAT_MS, () => publisher.publishHead());
    void this.#repeat('look at PostgreSQL', PROBE_MS, () => this.#probe());
    void this.#repeat('look at the keys', ENCRYPTION_MS, () => this.#encryption?.refresh());
    const rotationMs = Math.min(5000, (this.#config.windowSeconds * 1000) / 24);
    void this.#repeat('rotate the log', rotationMs, () => this.#rotate());
  }

  async drain(): Promise<void> {
    this.#draining.abort();
    await this.#runningControllers;
    await this.#commits.idle();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#listener?.close();
    await this.#database.close();
  }

  /** Checks PostgreSQL, and reads how far the other replicas are. */
  async #probe(): Promise<void> {
    this.#metrics.headRevision.set(this.#feed.revision);
    this.#metrics.queueLength.set({ queue: 'commit' }, this.#commits.length);
    this.#metrics.queueLength.set({ queue: 'read' }, this.#reads.length);
    if (this.#database.quiet(PROBE_MS) || this.#feed.followed) await this.#heads.read();
  }

  async #rotate(): Promise<void> {
    const result = await rotateLog(this.#database.streams, this.#config.windowSeconds);
    this.#metrics.rotations.inc({ result });
    if (result !== 'not due')
      for (const [table, bytes] of await tableSizes(this.#database.streams))
        this.#metrics.tableBytes.set({ table }, bytes);
    if (result === 'rotated') this.#kit.log.debug('The log was rotated to its next slot.');
  }

  #onCommit(committed: Committed): void {
    if (committed.writes.some(({ key }) => key.resource === DEFINITIONS)) this.#definitionWritten.wake();
    if (this.#publisher === undefined && !this.#feed.followed) {
      this.#feed.advance(committed.commit.last);
      return;
    }
    // the next commit call is sent first
    setImmediate(() => void this.#publish(committed));
  }

  async #publish(committed: Committed): Promise<void> {
    const batch = changesOf(committed);
    if (batch.changes.some((change) => change.kind === writeKind.delete)) {
      try {
        await fetchLastStates(this.#database.reads, this.#vault, batch);
      } catch (error) {
        this.#kit.log.debug(
          { err: error },
          'The last states of a batch could not be read; the watch service reads it from the log.',
        );
        this.#feed.advance(batch.last);
        return;
      }
    }
    this.#publisher?.publish(withoutSecrets(batch, (resource) => this.#vault.isSecret(resource)));
    this.#feed.committed(batch);
  }

  /** Repeats work. The work may return the time until it is due again. */
  async #repeat(name: string, everyMs: number, work: () => unknown): Promise<void> {
    const { signal } = this.#closing;
    const retry = this.#kit.retries.loop(name, { firstMs: everyMs, longestMs: Math.max(everyMs, LONGEST_PAUSE_MS) });
    while (!signal.aborted) {
      try {
        const nextMs = await work();
        retry.succeeded();
        await delayMs(typeof nextMs === 'number' ? nextMs : everyMs, signal);
      } catch (error) {
        await retry.failed(error, signal);
      }
    }
  }

  #runControllers(): Promise<void> {
    return runControllers({
      config: this.#config,
      controllers: this.#controllers,
      port: controllerPort({
        database: this.#database,
        commits: this.#commits,
        reads: this.#reads,
        feed: this.#feed,
        definitionWritten: this.#definitionWritten,
        instance: this.#kit.instance,
      }),
      metrics: this.#controllerMetrics,
      kit: this.#kit,
      closing: this.#draining.signal,
    });
  }

  #openBus(): Bus {
    const { natsStorage, natsReplicas, natsMaxMib, natsMaxAgeSeconds, windowSeconds } = this.#config;
    return new Bus({
      nats: this.#config,
      storage: natsStorage,
      replicas: natsReplicas,
      maxMib: natsMaxMib,
      maxAgeSeconds: natsMaxAgeSeconds || windowSeconds,
      log: this.#kit.log,
      retry: this.#kit.retries.loop('connect to the bus', { firstMs: 250, longestMs: 1000 }),
      onHead: (revision) => this.#feed.advance(revision),
      closing: this.#closing.signal,
    });
  }

  #openPublisher(bus: Bus): Publisher {
    const revision = () => this.#feed.revision;
    return new Publisher({ bus, metrics: this.#metrics, tracing: this.#kit.tracing, revision });
  }

  #openListener(): Listener {
    const { postgresUrl, postgresDirectUrl } = this.#config;
    return new Listener({
      url: postgresDirectUrl === '' ? postgresUrl : postgresDirectUrl,
      onRevision: (revision) => this.#feed.advance(revision),
      log: this.#kit.log,
    });
  }
}
