import type { Logger } from './logger.ts';
import { LOOP_LOOK_MS } from './loop-look.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** Nobody else is to wait longer for what one request asks. */
const HELD_MS = 250;
/** How many requests are named: the one that did it is among the largest. */
const MOST_NAMED = 3;

/** A request that this process works on. */
export interface Underway {
  /** what it is, and whose */
  readonly words: string;
  /** about how much work it may be: the bytes of its body */
  readonly bytes: number;
}

interface LoopWatchOptions {
  readonly now?: () => number;
  /** processor time of this thread so far */
  readonly cpuMs?: () => number;
}

/**
 * Looks at how long one turn of the event loop takes, in which nobody else is served. A turn counts by the processor time
 * that it took: when the machine gave this process none, no request is to blame.
 *
 * Invariant: `#underway` holds what was begun and has not ended, and `#ended` what ended since the last look.
 */
export class LoopWatch {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  readonly #cpuMs: () => number;
  readonly #holds;
  readonly #underway = new Set<Underway>();
  #ended: Underway[] = [];
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
    this.#timer = setInterval(() => this.look(), LOOP_LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Somebody is served from here on, until the answer is called. */
  begin(request: Underway): () => void {
    this.#underway.add(request);
    return () => {
      this.#underway.delete(request);
      this.#ended.push(request);
    };
  }

  look(): void {
    const now = { at: this.#now(), cpuMs: this.#cpuMs() };
    const [late, cpuMs] = [now.at - this.#last.at - LOOP_LOOK_MS, now.cpuMs - this.#last.cpuMs];
    // what was done in time before the turn that came late is counted as well: it is little
    const heldMs = Math.round(Math.min(late, cpuMs));
    if (heldMs > HELD_MS) {
      this.#holds.inc();
      const suspects = [...this.#underway, ...this.#ended].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_NAMED);
      const requests = suspects.map(({ words, bytes }) => `${words}, ${bytes} bytes`);
      this.#log.warn({ heldMs, requests }, 'One turn of the event loop took long; nobody else was served meanwhile.');
    }
    this.#last = now;
    this.#ended = [];
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
