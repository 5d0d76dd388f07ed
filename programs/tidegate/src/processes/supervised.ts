import { setTimeout as sleep } from 'node:timers/promises';
import { type LogFile, lastMessage, openLogFile, type Running } from '@tidegate/local';

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5000;
/** a process that ran this long has started successfully */
const STARTED_MS = 10_000;

/** A process that must run as long as the launcher. */
export interface ProcessSpec {
  readonly name: string;
  readonly logFile: string;
  /** a process that takes longer to stop is killed */
  readonly stopLimitMs: number;
  /** runs before each start */
  readonly prepare?: () => Promise<void>;
  readonly start: (log: LogFile) => Running;
}

export interface Death {
  readonly name: string;
  readonly reason: string;
  readonly logFile: string;
  /** how often it has died since its last successful start */
  readonly inARow: number;
  readonly delayMs: number;
}

export interface SupervisedState {
  readonly name: string;
  readonly pid: number | undefined;
  readonly startedAt: number;
  readonly restarts: number;
}

interface SupervisedOptions {
  readonly onStart?: () => void;
  readonly onDeath: (death: Death) => void;
  readonly now?: () => number;
  readonly wait?: (ms: number, closing: AbortSignal) => Promise<void>;
}

/**
 * Keeps one process running. It is restarted at once after its first death, then with a growing delay. Invariant: at
 * most one process runs at any time, and none is started after stop() was called.
 *
 *   running --dies--> waiting --delay over--> running
 *   running --stop--> stopping --exit, or the limit and a kill--> stopped
 */
export class Supervised {
  readonly spec: ProcessSpec;
  readonly #options: Required<SupervisedOptions>;
  readonly #closing = new AbortController();
  #running: Running | undefined;
  #loop: Promise<void> = Promise.resolve();
  #startedAt = 0;
  #restarts = 0;

  constructor(spec: ProcessSpec, options: SupervisedOptions) {
    this.spec = spec;
    this.#options = { onStart: () => {}, now: Date.now, wait: sleepUntil, ...options };
  }

  start(): void {
    this.#loop = this.#keepRunning();
  }

  state(): SupervisedState {
    return {
      name: this.spec.name,
      pid: this.#running?.pid,
      startedAt: this.#startedAt,
      restarts: this.#restarts,
    };
  }

  /** Resolves when no process is left. `hurry` ends the time that the process has to stop. */
  async stop(hurry: AbortSignal): Promise<'stopped' | 'killed'> {
    this.#closing.abort();
    const running = this.#running;
    if (running === undefined) {
      await this.#loop;
      return 'stopped';
    }
    running.requestStop();
    const inTime = new AbortController();
    const limit = this.#options.wait(this.spec.stopLimitMs, AbortSignal.any([hurry, inTime.signal]));
    const ended = await Promise.race([running.ended.then(() => true), limit.then(() => false)]);
    if (!ended) running.kill();
    await running.ended;
    inTime.abort();
    await this.#loop;
    return ended ? 'stopped' : 'killed';
  }

  async #keepRunning(): Promise<void> {
    for (let inARow = 0; !this.#closing.signal.aborted; this.#restarts++) {
      const reason = await this.#runOnce().catch((error: Error) => `could not be started: ${error.message}`);
      if (this.#closing.signal.aborted) return;
      inARow = this.#options.now() - this.#startedAt >= STARTED_MS ? 1 : inARow + 1;
      const delayMs = inARow === 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (inARow - 2), LONGEST_DELAY_MS);
      this.#options.onDeath({ name: this.spec.name, reason, logFile: this.spec.logFile, inARow, delayMs });
      if (delayMs > 0) await this.#options.wait(delayMs, this.#closing.signal);
    }
  }

  /** Returns why the process ended. */
  async #runOnce(): Promise<string> {
    this.#startedAt = this.#options.now();
    await this.spec.prepare?.();
    if (this.#closing.signal.aborted) return '';
    const log = openLogFile(this.spec.logFile);
    const running = this.spec.start(log);
    this.#running = running;
    void running.known.then(() => this.#options.onStart());
    const ending = await running.ended;
    this.#running = undefined;
    const message = lastMessage(log.path, log.from);
    return message === '' ? ending : `${ending}: ${message}`;
  }
}

/** Resolves when the time is over or closing is aborted. */
async function sleepUntil(ms: number, closing: AbortSignal): Promise<void> {
  // an AbortError: closing is aborted
  await sleep(ms, undefined, { signal: closing }).catch(() => {});
}
