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

/** reserved for the headers of a message, below the server's limit */
const HEADERS_BYTES = 1024;
/** how often the revision is published; an unchanged revision is published less often */
const HEARTBEAT_MS = { busy: 100, quiet: 200 };
/** an unchanged revision is published so many times before that */
const BUSY_HEARTBEATS = 20;
const IN_FLIGHT = { messages: 256, bytes: 32 << 20 };

/**
 * Publishes changes after their commit. Invariant: publishing never delays or fails a write. Beyond a limit of messages in
 * flight, and while NATS cannot be reached, changes are dropped; the watch service reads them from the log.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  #messagesInFlight = 0;
  #bytesInFlight = 0;
  #published = 0;
  /** heartbeats since the revision has changed */
  #heartbeats = 0;

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
        // NATS did not accept it in time, or cannot be reached: the watch service reads the change from the log
        metrics.publish.inc(FAILED);
        void bus.repairStream();
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
   * Publishes the newest revision, so that the loss of the last message is noticed. While nothing changes, fewer heartbeats
   * are enough to show that the bus works. Returns when the next heartbeat is due.
   */
  publishHead(): number {
    const revision = this.#options.revision();
    if (revision !== this.#published) this.#heartbeats = 0;
    this.#published = revision;
    this.#heartbeats++;
    if (revision !== 0) this.#options.bus.ready?.connection.publish(HEAD, String(revision));
    return this.#heartbeats > BUSY_HEARTBEATS ? HEARTBEAT_MS.quiet : HEARTBEAT_MS.busy;
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
