import type { TraceSpan, Tracing } from '@tidegate/service-kit';
import type { LogBatch } from '@tidegate/wire';
import type { StoreMetrics } from '../metrics.ts';
import { type Bus, CHANGES, HEAD } from './bus.ts';
import { messagesOf } from './split-batch.ts';

interface PublisherOptions {
  bus: Bus;
  metrics: StoreMetrics;
  tracing: Tracing;
  revision: () => number;
}

/** room for the message's headers below the server's limit */
const HEADERS_BYTES = 1024;
/** how often the revision is told; the same one again and again is told less often */
const BEAT_MS = { busy: 100, quiet: 200 };
/** so often the same revision is told before that */
const BUSY_BEATS = 20;
const IN_FLIGHT = { messages: 256, bytes: 32 << 20 };

/**
 * Publishes changes after their commit. Invariant: nothing here delays or fails a write. What is in flight is bounded;
 * beyond the bound, and while NATS is away, changes are dropped: the watch service reads them from the log.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  #messagesInFlight = 0;
  #bytesInFlight = 0;
  #told = 0;
  /** since the revision has changed */
  #beats = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  publish(batch: LogBatch): void {
    const { bus, metrics, tracing } = this.#options;
    const ready = bus.ready;
    if (ready === undefined || this.#full) {
      metrics.publish.inc(DROPPED);
      return;
    }
    const spans = tracing.enabled ? this.#startSpans(batch) : [];
    const limit = (ready.connection.info?.max_payload ?? 1 << 20) - HEADERS_BYTES;
    const sent = messagesOf(batch, limit).map(async ({ id, bytes }) => {
      this.#messagesInFlight++;
      this.#bytesInFlight += bytes.length;
      try {
        await ready.client.publish(CHANGES, bytes, { msgID: id });
        metrics.publish.inc(ACKED);
      } catch {
        // NATS did not take it in time, or is away. The watch service reads it from the log.
        metrics.publish.inc(FAILED);
        void bus.mend();
      } finally {
        this.#messagesInFlight--;
        this.#bytesInFlight -= bytes.length;
      }
    });
    void Promise.all(sent).then(() => {
      for (const span of spans) span.end();
    });
  }

  /**
   * Tells the newest revision, so that a lost last message does not stay unnoticed. When nothing has changed for a while,
   * fewer beats are enough to say that the bus is there. Answers when the next one is due.
   */
  tellHead(): number {
    const revision = this.#options.revision();
    if (revision !== this.#told) this.#beats = 0;
    this.#told = revision;
    this.#beats++;
    if (revision !== 0) this.#options.bus.ready?.connection.publish(HEAD, String(revision));
    return this.#beats > BUSY_BEATS ? BEAT_MS.quiet : BEAT_MS.busy;
  }

  get #full(): boolean {
    return this.#messagesInFlight >= IN_FLIGHT.messages || this.#bytesInFlight >= IN_FLIGHT.bytes;
  }

  #startSpans(batch: LogBatch): TraceSpan[] {
    const spans: TraceSpan[] = [];
    for (const change of batch.changes) {
      const span = this.#options.tracing.child('store.publish', change.traceparent, { kind: 'PRODUCER' });
      if (span === undefined) continue;
      change.traceparent = span.traceparent;
      spans.push(span);
    }
    return spans;
  }
}

const DROPPED = { result: 'dropped' };
const ACKED = { result: 'acked' };
const FAILED = { result: 'failed' };
