import { AckPolicy, DeliverPolicy, jetstreamManager } from '@nats-io/jetstream';
import { delayMs, type Logger, type NatsConfig, natsAddress, type Retry, type Tracing } from '@tidegate/service-kit';
import { type LogBatch, logBatchCodec } from '@tidegate/wire';
import { connect, createInbox, type Msg, type NatsConnection } from 'nats';

interface BusOptions {
  nats: NatsConfig;
  offer: (batch: LogBatch) => void;
  /** a store says that this revision exists */
  expect: (revision: number) => void;
  log: Logger;
  /** the pauses while the bus cannot be used */
  retry: Retry;
  tracing: Tracing;
  closing: AbortSignal;
}

/** The stores tell their revision at least every 200 ms; a bus that was silent for this long is away. */
const SILENCE_MS = 500;
/** JetStream says that often that it has nothing to deliver; a consumer that was silent for thrice as long is gone. */
const IDLE_MS = 500;
const STREAM = 'TIDEGATE';
const NANOSECONDS = 1e6;

/**
 * Changes from JetStream and the revision heartbeat. Trusted for nothing: the feed orders, checks and fills.
 *
 * Therefore the consumer is a plain one, which has nothing sent again: JetStream pushes what comes from now on. It goes
 * with its stream, or with the server that had it in memory, and is then made anew.
 */
export class BusSource {
  readonly #options: BusOptions;
  #headAt = Number.NEGATIVE_INFINITY;
  #deliveryAt = Number.NEGATIVE_INFINITY;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  /** the bus is bringing heartbeats of the stores, and of a consumer */
  get alive(): boolean {
    return this.aliveForMs > 0;
  }

  /** for how long it is taken to be alive, if nothing more is heard of it */
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
        this.#hearHeads(connection);
        while (!connection.isClosed()) await this.#consume(connection);
      } catch (error) {
        await retry.failed(error, closing);
      }
    }
  }

  #hearHeads(connection: NatsConnection): void {
    connection.subscribe('tidegate.head', {
      callback: (error, message) => {
        if (error !== null) return;
        this.#headAt = performance.now();
        this.#options.expect(Number(message.data.length === 0 ? 0 : message.string()));
      },
    });
  }

  /** Ends when the consumer does; the caller starts again. */
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
    // JetStream's own word: it is there, and has nothing
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
      // whatever it is, no store wrote it, and the log has what it may have been
      this.#options.log.warn({ err: error }, 'A message of the bus cannot be read.');
      return undefined;
    }
  }

  /** From when the bus had the message to when it was here. */
  #traceDelivery(batch: LogBatch, startTime: number): void {
    for (const change of batch.changes) {
      const span = this.#options.tracing.child('nats.deliver', change.traceparent, { kind: 'CONSUMER', startTime });
      if (span === undefined) continue;
      change.traceparent = span.traceparent;
      span.end();
    }
  }
}

/** `$JS.ACK.stream.consumer.deliveries.seq.seq.TIME.pending`; newer servers tell domain and account before the stream. */
const TIME = { from: 9, old: 7, recent: 9 };

/** When JetStream took the message, in milliseconds. */
function takenAt({ reply = '' }: Msg): number {
  const words = reply.split('.');
  return Number(words[words.length > TIME.from ? TIME.recent : TIME.old]) / NANOSECONDS;
}
