import type { MetricRegistry } from '@tidegate/service-kit';
import { internalError } from '@tidegate/status';
import type { Received } from './event.ts';
import type { LogFile } from './log-file.ts';
import type { AuditPolicy } from './policy.ts';
import { AuditRecord } from './record.ts';

/** The modes of writing: whether a request waits until its event is written. */
export const modes = ['blocking', 'blocking-strict', 'batch'] as const;
export type Mode = (typeof modes)[number];

interface AuditTrailOptions {
  readonly policy: AuditPolicy;
  readonly log: LogFile;
  readonly mode: Mode;
  /** the largest size of one event */
  readonly maxBytes: number;
  readonly metrics: AuditMetrics;
  readonly warn: (error: unknown, words: string) => void;
}

export type AuditMetrics = ReturnType<typeof declareAuditMetrics>;

export function declareAuditMetrics(registry: MetricRegistry) {
  return {
    events: registry.counter({ name: 'apiserver_audit_event_total', help: 'Audit events that were written.' }),
    lost: registry.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that could not be written, or were dropped because too many were pending.',
    }),
    rejected: registry.counter({
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests that were rejected because they could not be recorded.',
    }),
    levels: registry.counter({
      name: 'apiserver_audit_level_total',
      help: 'Requests by the level at which they are recorded.',
      labelNames: ['level'],
    }),
  };
}

/** Above this, requests wait until the file has caught up, or events are dropped. */
const PENDING_BYTES = 16 << 20;
/** write failures are logged at most once in this time */
const TROUBLE_MS = 10_000;

/** The audit log: one line for each stage of each request that the policy selects. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  /** Begins to record a request; undefined: the policy does not select it. */
  begin(received: Received): AuditRecord | undefined {
    const { policy, metrics, maxBytes } = this.#options;
    const wanted = policy.wanted(received.user, received.info);
    metrics.levels.inc({ level: wanted?.level ?? 'None' });
    if (wanted === undefined) return undefined;
    return new AuditRecord(received, { wanted, maxBytes, write: (line) => this.#write(line) });
  }

  /** Records that a request was received, before it is processed. */
  async received(record: AuditRecord): Promise<void> {
    const { mode, log, metrics } = this.#options;
    const written = record.received();
    // Write errors are counted and logged in #write. Only the strict mode rejects the request.
    if (mode === 'batch') return void written.catch(() => {});
    // A slow disk delays requests and loses no events. Errors are handled as above.
    if (mode === 'blocking' && log.pendingBytes < PENDING_BYTES) return void written.catch(() => {});
    try {
      await written;
    } catch (error) {
      if (mode !== 'blocking-strict') return;
      metrics.rejected.inc();
      throw internalError('the request could not be recorded in the audit log, and nothing was done', error);
    }
  }

  async close(): Promise<void> {
    await this.#options.log.close();
  }

  async #write(line: string): Promise<void> {
    const { log, mode, metrics } = this.#options;
    if (mode === 'batch' && log.pendingBytes > PENDING_BYTES) {
      this.#lost(new Error('too many audit events are pending'));
      return;
    }
    try {
      await log.append(line);
      metrics.events.inc();
    } catch (error) {
      this.#lost(error);
      throw error;
    }
  }

  #lost(error: unknown): void {
    this.#options.metrics.lost.inc();
    const now = performance.now();
    if (now - this.#warnedAt < TROUBLE_MS) return;
    this.#warnedAt = now;
    this.#options.warn(error, 'Audit events could not be written.');
  }
}
