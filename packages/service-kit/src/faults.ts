import type { Logger } from './logger.ts';
import type { MetricRegistry } from './metric-registry.ts';

/**
 * Counts and logs failures that are not fatal: the process continues without the failed work. The place of a failure is
 * a label of the metric. Work that is retried in a loop uses `Retries` instead.
 */
export class Faults {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #errors;

  constructor(log: Pick<Logger, 'info' | 'warn'>, metrics: MetricRegistry) {
    this.#log = log;
    this.#errors = metrics.counter({
      name: 'tidegate_unexpected_errors_total',
      help: 'Failures that were not fatal, by the place where they occurred.',
      labelNames: ['place'] as const,
    });
  }

  /** A place that exists once in this process. Its name says what failed, for example `write the audit log`. */
  place(name: string): Fault {
    const errors = this.#errors.labels(name);
    errors.inc(0);
    return new Fault({
      count: () => errors.inc(),
      begun: (error) =>
        this.#log.warn({ err: error, place: name }, 'An operation failed; the process continues without it.'),
      over: (count) => this.#log.info({ place: name, errors: count }, 'An operation that had failed works again.'),
    });
  }
}

interface FaultOptions {
  count: () => void;
  begun: (error: unknown) => void;
  over: (count: number) => void;
}

/**
 * One place where failures occur.
 *
 * Invariant: every failure is counted. One line is logged when failures begin or their message changes, and one when
 * they are over.
 */
export class Fault {
  readonly #options: FaultOptions;
  #reported: string | undefined;
  #count = 0;

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  /** Records a failure; bound, so that it can be passed on: `work.catch(fault.failed)`. */
  readonly failed = (error: unknown): void => {
    this.#options.count();
    this.#count++;
    const words = error instanceof Error ? error.message : String(error);
    if (words === this.#reported) return;
    this.#reported = words;
    this.#options.begun(error);
  };

  succeeded(): void {
    if (this.#count === 0) return;
    this.#options.over(this.#count);
    this.#count = 0;
    this.#reported = undefined;
  }

  /** Waits for the work and records its result. Never rejects. */
  async track(work: Promise<unknown>): Promise<void> {
    try {
      await work;
      this.succeeded();
    } catch (error) {
      this.failed(error);
    }
  }
}
