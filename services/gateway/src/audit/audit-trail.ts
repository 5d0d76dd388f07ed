import type { MetricRegistry } from '@tidegate/service-kit';
import { internalError } from '@tidegate/status';
import type { Received } from './event.ts';
import type { LogFile } from './log-file.ts';
import type { AuditPolicy } from './policy.ts';
import { AuditRecord } from './record.ts';

/** When a request waits for what is recorded of it. */
export const modes = ['blocking', 'blocking-strict', 'batch'] as const;
export type Mode = (typeof modes)[number];

interface AuditTrailOptions {
  readonly policy: AuditPolicy;
  readonly log: LogFile;
  readonly mode: Mode;
  /** of one event */
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
      help: 'Audit events that could not be written, or were left out because too many waited.',
    }),
    rejected: registry.counter({
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests that were refused because they could not be recorded.',
    }),
    levels: registry.counter({
      name: 'apiserver_audit_level_total',
      help: 'Requests by the level at which they are recorded.',
      labelNames: ['level'],
    }),
  };
}

/** Beyond this requests wait until the file has caught up, or events are left out. */
const PENDING_BYTES = 16 << 20;
/** at most one line of the log about trouble in this time */
const TROUBLE_MS = 10_000;

/** Who asked for what, and what became of it: one line for each stage of each request that the policy names. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  /** Begins to record a request; undefined: nothing is recorded of it. */
  begin(received: Received): AuditRecord | undefined {
    const { policy, metrics, maxBytes } = this.#options;
    const wanted = policy.wanted(received.user, received.info);
    metrics.levels.inc({ level: wanted?.level ?? 'None' });
    if (wanted === undefined) return undefined;
    return new AuditRecord(received, { wanted, maxBytes, write: (line) => this.#write(line) });
  }

  /** Tells that a request has come, before anything is done for it. */
  async received(record: AuditRecord): Promise<void> {
    const { mode, log, metrics } = this.#options;
    const told = record.received();
    // An error of writing is counted and logged where it is met. Only the strict mode refuses the request for it.
    if (mode === 'batch') return void told.catch(() => {});
    // A disk that does not follow slows requests down, and loses nothing. An error is treated as above.
    if (mode === 'blocking' && log.pendingBytes < PENDING_BYTES) return void told.catch(() => {});
    try {
      await told;
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
      this.#lost(new Error('more waits for the file than may'));
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
    if (now - this.#toldAt < TROUBLE_MS) return;
    this.#toldAt = now;
    this.#options.warn(error, 'Audit events could not be written.');
  }
}
