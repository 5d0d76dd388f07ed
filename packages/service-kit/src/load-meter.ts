import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoadMessage } from '@tidegate/wire';
import { LOOP_LOOK_MS } from './loop-look.ts';

/** what is counted as a request is said where it is counted: in a store each read and write, in a watch each change */
interface Spell {
  readonly requestsPerSecond: number;
  readonly loopDelayMs: number;
  readonly lagMs: number | undefined;
}

interface Sources {
  readonly now?: () => number;
  /** the longest delay of the event loop since it was last asked */
  readonly takeLoopDelayMs?: () => number;
  readonly residentBytes?: () => number;
}

const SPELL_MS = 2000;
const NANOSECONDS = 1e6;

/** The few figures that a process tells of its load: of the last whole spell of two seconds, whoever asks and how often. */
export class LoadMeter {
  readonly #sources: Required<Sources>;
  readonly #startedAt: number;
  #spellSince: number;
  #requests = 0;
  #lagMs: number | undefined;
  #last: Spell = { requestsPerSecond: 0, loopDelayMs: 0, lagMs: undefined };
  #timer: NodeJS.Timeout | undefined;
  /** who watches, or follows, here */
  watchers: () => number = () => 0;

  constructor(sources: Sources = {}) {
    this.#sources = {
      now: () => performance.now(),
      takeLoopDelayMs: () => 0,
      residentBytes: () => process.memoryUsage.rss(),
      ...sources,
    };
    this.#startedAt = this.#spellSince = this.#sources.now();
  }

  /** One that measures this process from here on. */
  static ofThisProcess(): LoadMeter {
    const delays = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });
    delays.enable();
    const takeLoopDelayMs = () => {
      const longest = delays.count === 0 ? 0 : delays.max / NANOSECONDS - LOOP_LOOK_MS;
      delays.reset();
      return Math.max(0, longest);
    };
    const meter = new LoadMeter({ takeLoopDelayMs });
    meter.#timer = setInterval(() => meter.endSpell(), SPELL_MS).unref();
    return meter;
  }

  count(requests = 1): void {
    this.#requests += requests;
  }

  /** How late something was heard of; the latest of the spell counts. Clocks of two machines may differ: never below zero. */
  lagged(ms: number): void {
    this.#lagMs = Math.max(this.#lagMs ?? 0, ms);
  }

  endSpell(): void {
    const now = this.#sources.now();
    const seconds = (now - this.#spellSince) / 1000;
    this.#last = {
      requestsPerSecond: seconds > 0 ? this.#requests / seconds : 0,
      loopDelayMs: this.#sources.takeLoopDelayMs(),
      lagMs: this.#lagMs,
    };
    this.#spellSince = now;
    this.#requests = 0;
    this.#lagMs = undefined;
  }

  load(): LoadMessage {
    const { requestsPerSecond, loopDelayMs, lagMs } = this.#last;
    return {
      requestsPerSecond,
      loopDelayMs,
      residentBytes: this.#sources.residentBytes(),
      watchers: this.watchers(),
      hasLag: lagMs !== undefined,
      lagMs: lagMs ?? 0,
      uptimeSeconds: (this.#sources.now() - this.#startedAt) / 1000,
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
