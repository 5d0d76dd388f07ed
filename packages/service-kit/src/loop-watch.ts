import type { Logger } from './logger.ts';
import { LOOP_SAMPLE_MS } from './loop-sample.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** A longer turn is logged: one request must not delay the others for longer. */
const HELD_MS = 250;
/** How many requests are logged. The cause is most likely among the largest. */
const MAX_NAMED = 3;

/** A request in progress. */
export interface ActiveRequest {
  /** the operation and the user */
  readonly description: string;
  /** the bytes of its body, as a measure of its work */
  readonly bytes: number;
}

interface LoopWatchOptions {
  readonly now?: () => number;
  /** CPU time of this thread so far */
  readonly cpuMs?: () => number;
}

/**
 * Detects long turns of the event loop, in which no other request is served. It measures CPU time, because a turn may
 * also be long when the machine gives this process no CPU.
 *
 * Invariant: `#active` holds the requests in progress, and `#ended` those that ended since the last sample.
 */
export class LoopWatch {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  readonly #cpuMs: () => number;
  readonly #holds;
  readonly #active = new Set<ActiveRequest>();
  #ended: ActiveRequest[] = [];
  #last: { readonly at: number; readonly cpuMs: number };
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<Logger, 'warn'>, metrics: MetricRegistry, options: LoopWatchOptions = {}) {
    const { now = () => performance.now(), cpuMs = threadCpuMs } = options;
    this.#log = log;
    this.#now = now;
    this.#cpuMs = cpuMs;
    this.#holds = metrics.counter({
      name: 'tidegate_loop_holds_total',
      help: 'Turns of the event loop that took more than 250 ms of processor time.',
    });
    this.#holds.inc(0);
    this.#last = { at: now(), cpuMs: cpuMs() };
  }

  start(): void {
    this.#timer = setInterval(() => this.sample(), LOOP_SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Registers a request in progress. The returned function ends it. */
  begin(request: ActiveRequest): () => void {
    this.#active.add(request);
    return () => {
      this.#active.delete(request);
      this.#ended.push(request);
    };
  }

  sample(): void {
    const now = { at: this.#now(), cpuMs: this.#cpuMs() };
    const [late, cpuMs] = [now.at - this.#last.at - LOOP_SAMPLE_MS, now.cpuMs - this.#last.cpuMs];
    // this includes the little work that was done before the long turn
    const heldMs = Math.round(Math.min(late, cpuMs));
    if (heldMs > HELD_MS) {
      this.#holds.inc();
      const suspects = [...this.#active, ...this.#ended].sort((a, b) => b.bytes - a.bytes).slice(0, MAX_NAMED);
      const requests = suspects.map(({ description, bytes }) => `${description}, ${bytes} bytes`);
      this.#log.warn(
        { heldMs, requests },
        'A turn of the event loop took too long; no other request was served meanwhile.',
      );
    }
    this.#last = now;
    this.#ended = [];
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
