import { type Closing, delayMs } from './delay.ts';
import type { Logger } from './logger.ts';
import type { MetricRegistry } from './metric-registry.ts';

interface Pauses {
  /** before the second attempt */
  readonly firstMs: number;
  /** pauses double up to this limit */
  readonly longestMs: number;
}

type Wait = (ms: number, closing?: Closing) => Promise<void>;

/** The retry loops of one process. The name of a loop is a label of the metrics. */
export class Retries {
  readonly #log: Logger;
  readonly #wait: Wait;
  readonly #attempts;
  readonly #failing;

  constructor(log: Logger, metrics: MetricRegistry, wait: Wait = delayMs) {
    this.#log = log;
    this.#wait = wait;
    this.#attempts = metrics.counter({
      name: 'tidegate_retries_total',
      help: 'Failed attempts that are retried, by loop.',
      labelNames: ['loop'] as const,
    });
    this.#failing = metrics.gauge({
      name: 'tidegate_retrying',
      help: '1 if the last attempt of a loop has failed.',
      labelNames: ['loop'] as const,
    });
  }

  /** The retry state of a loop that exists once in this process. */
  loop(name: string, pauses: Pauses): Retry {
    const attempts = this.#attempts.labels(name);
    const failing = this.#failing.labels(name);
    failing.set(0);
    return new Retry({
      ...pauses,
      wait: this.#wait,
      failed: (error) => {
        attempts.inc();
        failing.set(1);
        if (error !== undefined) this.#log.warn({ err: error, loop: name }, 'An attempt failed and will be retried.');
      },
      recovered: (count) => {
        failing.set(0);
        this.#log.info({ loop: name, attempts: count }, 'An attempt succeeded after failures.');
      },
    });
  }
}

interface RetryOptions extends Pauses {
  readonly wait?: Wait;
  /** gets the error only for the first failure after a success */
  readonly failed?: (error?: unknown) => void;
  readonly recovered?: (attempts: number) => void;
}

/**
 * The backoff of one retry loop.
 *
 * Invariant: the pause between failed attempts doubles up to its limit. One line is logged when attempts begin to fail,
 * and one when they succeed again, however many fail in between.
 *
 *   failed → 50 ms → failed → 100 ms → failed → 200 ms → succeeded → failed → 50 ms
 */
export class Retry {
  readonly #options: RetryOptions;
  #failures = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Resolves when the next attempt may begin, or at once if `closing` is aborted, which then caused the failure. */
  async failed(error: unknown, closing?: Closing): Promise<void> {
    const { wait = delayMs } = this.#options;
    if (closing?.aborted) return;
    await wait(this.failedNow(error), closing);
  }

  /** For a loop with its own timer: returns the pause in milliseconds. */
  failedNow(error: unknown): number {
    const { firstMs, longestMs, failed } = this.#options;
    failed?.(this.#failures === 0 ? error : undefined);
    return Math.min(firstMs * 2 ** this.#failures++, longestMs);
  }

  succeeded(): void {
    if (this.#failures === 0) return;
    this.#options.recovered?.(this.#failures);
    this.#failures = 0;
  }
}
