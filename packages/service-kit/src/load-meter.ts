import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoadMessage } from '@tidegate/wire';
import { LOOP_SAMPLE_MS } from './loop-sample.ts';

/** Each part decides what counts as a request: the store counts reads and writes, the watch service counts changes. */
interface IntervalLoad {
  readonly requestsPerSecond: number;
  readonly loopDelayMs: number;
  readonly lagMs: number | undefined;
}

interface Sources {
  readonly now?: () => number;
  /** the longest delay of the event loop since the last call */
  readonly takeLoopDelayMs?: () => number;
  readonly residentBytes?: () => number;
}

const INTERVAL_MS = 2000;
const NANOSECONDS = 1e6;

/** Measures the load of this process over intervals of two seconds. `load()` reports the last complete interval. */
export class LoadMeter {
  readonly #sources: Required<Sources>;
  readonly #startedAt: number;
  #intervalStart: number;
  #requests = 0;
  #lagMs: number | undefined;
  #last: IntervalLoad = { requestsPerSecond: 0, loopDelayMs: 0, lagMs: undefined };
  #timer: NodeJS.Timeout | undefined;
  /** the number of watchers or followers of this process */
  watchers: () => number = () => 0;

  constructor(sources: Sources = {}) {
    this.#sources = {
      now: () => performance.now(),
      takeLoopDelayMs: () => 0,
      residentBytes: () => process.memoryUsage.rss(),
      ...sources,
    };
    this.#startedAt = this.#intervalStart = this.#sources.now();
  }

  /** A meter that measures this process from now on. */
  static ofThisProcess(): LoadMeter {
    const delays = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS });
    delays.enable();
    const takeLoopDelayMs = () => {
      const longest = delays.count === 0 ? 0 : delays.max / NANOSECONDS - LOOP_SAMPLE_MS;
      delays.reset();
      return Math.max(0, longest);
    };
    const meter = new LoadMeter({ takeLoopDelayMs });
    meter.#timer = setInterval(() => meter.endInterval(), INTERVAL_MS).unref();
    return meter;
  }

  count(requests = 1): void {
    this.#requests += requests;
  }

  /**
   * Records a lag; the longest of an interval is reported. It is never negative, although clocks of machines may
   * differ.
   */
  noteLag(ms: number): void {
    this.#lagMs = Math.max(this.#lagMs ?? 0, ms);
  }

  endInterval(): void {
    const now = this.#sources.now();
    const seconds = (now - this.#intervalStart) / 1000;
    this.#last = {
      requestsPerSecond: seconds > 0 ? this.#requests / seconds : 0,
      loopDelayMs: this.#sources.takeLoopDelayMs(),
      lagMs: this.#lagMs,
    };
    this.#intervalStart = now;
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
