import { DeliverPolicy, jetstream } from '@nats-io/jetstream';
import { delayMs, type Logger, natsAddress, type Tracing } from '@tidegate/service-kit';
import { type LogBatch, logBatchCodec } from '@tidegate/wire';
import { connect, type NatsConnection } from 'nats';

interface BusOptions {
  url: string;
  offer: (batch: LogBatch) => void;
  /** a store says that this revision exists */
  expect: (revision: number) => void;
  log: Logger;
  tracing: Tracing;
  closing: AbortSignal;
}

/** The stores tell their revision every 100 ms; a bus that was silent for this long is away. */
const SILENCE_MS = 500;

/** Changes from JetStream and the revision heartbeat. Trusted for nothing: the feed orders, checks and fills. */
export class BusSource {
  readonly #options: BusOptions;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  /** the bus is bringing heartbeats */
  get alive(): boolean {
    return performance.now() - this.#heardAt < SILENCE_MS;
  }

  async run(): Promise<void> {
    const { url, closing, log } = this.#options;
    while (!closing.aborted) {
      try {
        const connection = await connect({
          ...natsAddress(url),
          maxReconnectAttempts: -1,
          reconnectTimeWait: 200,
          noAsyncTraces: true,
        });
        closing.addEventListener('abort', () => void connection.close(), { once: true });
        this.#hearHeads(connection);
        await this.#consume(connection);
        await connection.close();
      } catch (error) {
        log.debug({ err: error }, 'The bus cannot be used yet.');
      }
      await delayMs(200, closing);
    }
  }

  #hearHeads(connection: NatsConnection): void {
    connection.subscribe('tidegate.head', {
      callback: (error, message) => {
        if (error !== null) return;
        this.#heardAt = performance.now();
        this.#options.expect(Number(message.data.length === 0 ? 0 : message.string()));
      },
    });
  }

  /** Ends when the consumer does; the caller starts again. */
  async #consume(connection: NatsConnection): Promise<void> {
    const consumer = await jetstream(connection).consumers.get('TIDEGATE', { deliver_policy: DeliverPolicy.New });
    const messages = await consumer.consume({ max_messages: 1000 });
    for await (const message of messages) {
      const batch = logBatchCodec.decode(message.data);
      if (this.#options.tracing.enabled) this.#traceDelivery(batch, message.info.timestampNanos / 1e6);
      this.#options.offer(batch);
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
