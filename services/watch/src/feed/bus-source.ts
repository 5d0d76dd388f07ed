import { AckPolicy, DeliverPolicy, jetstreamManager } from '@nats-io/jetstream';
import { delayMs, type Logger, type NatsConfig, natsAddress, type Retry, type Tracing } from '@tidegate/service-kit';
import { type LogBatch, logBatchCodec } from '@tidegate/wire';
import { connect, createInbox, type Msg, type NatsConnection } from 'nats';

interface BusOptions {
  nats: NatsConfig;
  offer: (batch: LogBatch) => void;
  /** called when a store reports a revision */
  expect: (revision: number) => void;
  log: Logger;
  /** the pauses while the bus cannot be used */
  retry: Retry;
  tracing: Tracing;
  closing: AbortSignal;
}

/**
 * the stores publish their revision at least every 200 ms; a bus that is silent for this long counts as disconnected
 */
const SILENCE_MS = 500;
/** JetStream sends an idle heartbeat this often; a consumer that is silent for three times as long counts as gone */
const IDLE_MS = 500;
const STREAM = 'TIDEGATE';
const NANOSECONDS = 1e6;

/**
 * Receives changes and the revision heartbeat from JetStream. The feed does not rely on them: it orders and checks the
 * changes, and fills gaps from the log.
 *
 * Therefore a consumer without acknowledgements is enough: JetStream pushes new messages, and never repeats one. If
 * the stream is gone, or the server that held the consumer in memory, a new consumer is created.
 */
export class BusSource {
  readonly #options: BusOptions;
  #headAt = Number.NEGATIVE_INFINITY;
  #deliveryAt = Number.NEGATIVE_INFINITY;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  /** whether heartbeats of the stores and of the consumer arrive */
  get alive(): boolean {
    return this.aliveForMs > 0;
  }

  /** how long it counts as alive without further messages */
  get aliveForMs(): number {
    return Math.max(0, Math.min(this.#headAt + SILENCE_MS - performance.now(), this.#consumingForMs));
  }

  get #consumingForMs(): number {
    return Math.max(0, this.#deliveryAt + 3 * IDLE_MS - performance.now());
  }

  async run(): Promise<void> {
    const { nats, closing, retry } = this.#options;
    while (!closing.aborted) {
      try {
        const connection = await connect({
          ...natsAddress(nats),
          maxReconnectAttempts: -1,
          reconnectDelayHandler: () => retry.failedNow(new Error('the connection to NATS is lost')),
          noAsyncTraces: true,
        });
        closing.addEventListener('abort', () => void connection.close(), { once: true });
        this.#subscribeToHeads(connection);
        while (!connection.isClosed()) await this.#consume(connection);
      } catch (error) {
        await retry.failed(error, closing);
      }
    }
  }

  #subscribeToHeads(connection: NatsConnection): void {
    connection.subscribe('tidegate.head', {
      callback: (error, message) => {
        if (error !== null) return;
        this.#headAt = performance.now();
        this.#options.expect(Number(message.data.length === 0 ? 0 : message.string()));
      },
    });
  }

  /** Returns when the consumer ends; the caller creates another one. */
  async #consume(connection: NatsConnection): Promise<void> {
    const { closing, retry } = this.#options;
    const inbox = createInbox();
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
      },
    });
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      await manager.consumers.add(STREAM, {
        deliver_subject: inbox,
        deliver_policy: DeliverPolicy.New,
        ack_policy: AckPolicy.None,
        idle_heartbeat: IDLE_MS * NANOSECONDS,
        mem_storage: true,
        num_replicas: 1,
      });
      this.#deliveryAt = performance.now();
      retry.succeeded();
      while (this.#consumingForMs > 0 && !closing.aborted) await delayMs(Math.ceil(this.#consumingForMs), closing);
    } catch (error) {
      await retry.failed(error, closing);
    } finally {
      subscription.unsubscribe();
    }
  }

  #receive(message: Msg): void {
    this.#deliveryAt = performance.now();
    // an idle heartbeat of JetStream
    if (message.headers?.code === 100) return;
    const batch = this.#decode(message.data);
    if (batch === undefined) return;
    if (this.#options.tracing.enabled) this.#traceDelivery(batch, takenAt(message));
    this.#options.offer(batch);
  }

  #decode(bytes: Uint8Array): LogBatch | undefined {
    try {
      return logBatchCodec.decode(bytes);
    } catch (error) {
      // no store has written this message; a change that it may have had is in the log
      this.#options.log.warn({ err: error }, 'A message of the bus could not be decoded; it is ignored.');
      return undefined;
    }
  }

  /** Records the time from the bus receiving the message to its arrival here. */
  #traceDelivery(batch: LogBatch, startTime: number): void {
    for (const change of batch.changes) {
      const span = this.#options.tracing.child('nats.deliver', change.traceparent, { kind: 'CONSUMER', startTime });
      if (span === undefined) continue;
      change.traceparent = span.traceparent;
      span.end();
    }
  }
}

/**
 * `$JS.ACK.stream.consumer.deliveries.seq.seq.TIME.pending`; newer servers add domain and account before the stream.
 */
const TIME = { from: 9, old: 7, recent: 9 };

/** When JetStream received the message, in milliseconds. */
function takenAt({ reply = '' }: Msg): number {
  const parts = reply.split('.');
  return Number(parts[parts.length > TIME.from ? TIME.recent : TIME.old]) / NANOSECONDS;
}
