import type { Logger } from './logger.ts';
import type { MetricRegistry } from './metric-registry.ts';

/**
 * Failures of work that goes on without what has failed. Each has a place, which is a label of the metric.
 *
 * Work that is tried again in a loop of its own belongs to `Retries` instead.
 */
export class Faults {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #errors;

  constructor(log: Pick<Logger, 'info' | 'warn'>, metrics: MetricRegistry) {
    this.#log = log;
    this.#errors = metrics.counter({
      name: 'tidegate_unexpected_errors_total',
      help: 'Failures without which the work went on, by the place where they were met.',
      labelNames: ['place'] as const,
    });
  }

  /** For a place that exists once in this process. Its name says what failed: `tell the audit log`. */
  place(name: string): Fault {
    const errors = this.#errors.labels(name);
    errors.inc(0);
    return new Fault({
      count: () => errors.inc(),
      begun: (error) => this.#log.warn({ err: error, place: name }, 'Something failed; the work goes on without it.'),
      over: (count) => this.#log.info({ place: name, errors: count }, 'What had failed works again.'),
    });
  }
}

interface FaultOptions {
  count: () => void;
  begun: (error: unknown) => void;
  over: (count: number) => void;
}

/**
 * One place where failures are met.
 *
 * Invariant: every failure is counted. The log has one line when failures begin or say something else than before, and one
 * when they are over.
 */
export class Fault {
  readonly #options: FaultOptions;
  #told: string | undefined;
  #count = 0;

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  /** Stands where a rejection is caught: `work.catch(fault.failed)`. */
  readonly failed = (error: unknown): void => {
    this.#options.count();
    this.#count++;
    const words = error instanceof Error ? error.message : String(error);
    if (words === this.#told) return;
    this.#told = words;
    this.#options.begun(error);
  };

  succeeded(): void {
    if (this.#count === 0) return;
    this.#options.over(this.#count);
    this.#count = 0;
    this.#told = undefined;
  }

  /** Resolves when the work has ended, well or not. */
  async meet(work: Promise<unknown>): Promise<void> {
    try {
      await work;
      this.succeeded();
    } catch (error) {
      this.failed(error);
    }
  }
}
