import { setTimeout as sleep } from 'node:timers/promises';
import { type LogFile, lastWords, openLogFile, type Running } from '@tidegate/local';

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5000;
/** A process that lived this long is no longer failing to start. */
const SETTLED_MS = 10_000;

/** One process that must run for as long as the launcher does. */
export interface ProcessSpec {
  readonly name: string;
  readonly logFile: string;
  /** how long it may take to stop before it is killed */
  readonly stopLimitMs: number;
  /** what must be out of the way before each start */
  readonly prepare?: () => Promise<void>;
  readonly start: (log: LogFile) => Running;
}

export interface Death {
  readonly name: string;
  readonly reason: string;
  readonly logFile: string;
  /** how often it has died since it last settled */
  readonly inARow: number;
  readonly delayMs: number;
}

export interface SupervisedState {
  readonly name: string;
  readonly pid: number | undefined;
  readonly startedAt: number;
  readonly restarts: number;
}

interface Surroundings {
  readonly onStart?: () => void;
  readonly onDeath: (death: Death) => void;
  readonly now?: () => number;
  readonly wait?: (ms: number, closing: AbortSignal) => Promise<void>;
}

/**
 * Keeps one process running: at once after its first death, then with a growing delay. At most one process of it lives
 * at any time, and none is started once stop() was called.
 *
 *   running --dies--> waiting --delay over--> running
 *   running --stop--> stopping --exit, or the limit and a kill--> stopped
 */
export class Supervised {
  readonly spec: ProcessSpec;
  readonly #around: Required<Surroundings>;
  readonly #closing = new AbortController();
  #running: Running | undefined;
  #loop: Promise<void> = Promise.resolve();
  #startedAt = 0;
  #restarts = 0;

  constructor(spec: ProcessSpec, surroundings: Surroundings) {
    this.spec = spec;
    this.#around = { onStart: () => {}, now: Date.now, wait: sleepUntil, ...surroundings };
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

  /** Resolves when no process is left; hurry cuts the time that it is given. */
  async stop(hurry: AbortSignal): Promise<'stopped' | 'killed'> {
    this.#closing.abort();
    const running = this.#running;
    if (running === undefined) {
      await this.#loop;
      return 'stopped';
    }
    running.askToStop();
    const inTime = new AbortController();
    const limit = this.#around.wait(this.spec.stopLimitMs, AbortSignal.any([hurry, inTime.signal]));
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
      inARow = this.#around.now() - this.#startedAt >= SETTLED_MS ? 1 : inARow + 1;
      const delayMs = inARow === 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (inARow - 2), LONGEST_DELAY_MS);
      this.#around.onDeath({ name: this.spec.name, reason, logFile: this.spec.logFile, inARow, delayMs });
      if (delayMs > 0) await this.#around.wait(delayMs, this.#closing.signal);
    }
  }

  /** Answers why it ended. */
  async #runOnce(): Promise<string> {
    this.#startedAt = this.#around.now();
    await this.spec.prepare?.();
    if (this.#closing.signal.aborted) return '';
    const log = openLogFile(this.spec.logFile);
    const running = this.spec.start(log);
    this.#running = running;
    void running.known.then(() => this.#around.onStart());
    const ending = await running.ended;
    this.#running = undefined;
    const words = lastWords(log.path, log.from);
    return words === '' ? ending : `${ending}: ${words}`;
  }
}

/** Resolves when the time is over or closing is aborted. */
async function sleepUntil(ms: number, closing: AbortSignal): Promise<void> {
  // an AbortError: closing is aborted
  await sleep(ms, undefined, { signal: closing }).catch(() => {});
}
