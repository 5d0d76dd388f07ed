import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { delayMs, type Logger, type NatsConfig, natsAddress, type Retry } from '@tidegate/service-kit';
import { connect, type NatsConnection } from 'nats';

interface BusOptions {
  nats: NatsConfig;
  storage: string;
  replicas: number;
  maxMib: number;
  maxAgeSeconds: number;
  log: Logger;
  /** the pauses while there is no connection */
  retry: Retry;
  /** called when another replica reports a revision */
  onHead: (revision: number) => void;
  closing: AbortSignal;
}

interface Ready {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
}

export const STREAM = 'TIDEGATE';
export const CHANGES = 'tidegate.changes.0';
export const HEAD = 'tidegate.head';
const NANOSECONDS = 1e9;
/** of JetStream: there is a stream of this name with another configuration */
const STREAM_EXISTS = 10058;
/** a missing stream is created again at most once in this time */
const REPAIR_MS = 1000;

/**
 * The connection to NATS. Invariant: `ready` is set only while messages are sent at once. Nothing is queued for a
 * server that cannot be reached, because the log has all changes.
 */
export class Bus {
  readonly #options: BusOptions;
  #ready: Ready | undefined;
  #isRepairing = false;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  get ready(): Ready | undefined {
    return this.#ready;
  }

  /** Keeps a connection and the stream until closing is aborted. */
  async run(): Promise<void> {
    const { closing, retry } = this.#options;
    while (!closing.aborted) {
      try {
        const connection = await connect({
          ...natsAddress(this.#options.nats),
          reconnect: false,
          timeout: 2000,
          pingInterval: 2000,
          maxPingOut: 2,
          // this replica does not need its own messages
          noEcho: true,
          noAsyncTraces: true,
        });
        closing.addEventListener('abort', () => void connection.close(), { once: true });
        await this.#use(connection);
        await retry.failed(new Error('the connection to NATS is lost'), closing);
      } catch (error) {
        await retry.failed(error, closing);
      }
    }
  }

  /** Called when a message was not accepted: the stream may be gone, which no other event reports. */
  async repairStream(): Promise<void> {
    const { log, closing } = this.#options;
    const connection = this.#ready?.connection;
    if (connection === undefined || this.#isRepairing) return;
    this.#isRepairing = true;
    try {
      await this.#ensureStream(connection);
    } catch (error) {
      log.debug({ err: error }, 'The JetStream stream could not be created again yet.');
    }
    await delayMs(REPAIR_MS, closing);
    this.#isRepairing = false;
  }

  async #use(connection: NatsConnection): Promise<void> {
    const { log, retry, closing } = this.#options;
    try {
      this.#subscribeToHeads(connection);
      await this.#ensureStream(connection);
      this.#ready = { connection, client: jetstream(connection, { timeout: 2000 }) };
      retry.succeeded();
      log.info('Connected to NATS.');
      await connection.closed();
    } finally {
      this.#ready = undefined;
      await connection.close();
      if (!closing.aborted)
        log.warn('The connection to NATS is lost; the watch service follows the log in the meantime.');
    }
  }

  #subscribeToHeads(connection: NatsConnection): void {
    connection.subscribe(HEAD, {
      callback: (error, message) => {
        const revision = error === null ? Number(message.string()) : Number.NaN;
        if (Number.isSafeInteger(revision)) this.#options.onHead(revision);
      },
    });
  }

  async #ensureStream(connection: NatsConnection): Promise<void> {
    const { storage, replicas, maxMib, maxAgeSeconds } = this.#options;
    const manager = await jetstreamManager(connection);
    const config = {
      name: STREAM,
      subjects: ['tidegate.changes.>'],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      // changes that are no longer in the stream are read from the log
      max_age: maxAgeSeconds * NANOSECONDS,
      max_bytes: maxMib * 2 ** 20,
      duplicate_window: Math.min(maxAgeSeconds, 120) * NANOSECONDS,
      num_replicas: replicas,
    };
    try {
      await manager.streams.add({ ...config, storage: storage === 'file' ? StorageType.File : StorageType.Memory });
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== STREAM_EXISTS) throw error;
      // it exists with other limits; the storage type of an existing stream cannot be changed
      await manager.streams.update(STREAM, config);
    }
  }
}
