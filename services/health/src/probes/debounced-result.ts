/** The number of consecutive results after which a change is accepted. */
export interface Thresholds {
  /** for a failure */
  readonly failures: number;
  /** for passing again */
  readonly passes: number;
}

/**
 * A result that does not flap: it changes only after enough consecutive other results. A check that has never passed is
 * starting, and its first success is accepted at once.
 *
 *   thresholds of 2 failures and 3 passes:  seen     + - + - - - + + - + + +
 *                                           accepted + + + + - - - - - - - +
 */
export class DebouncedResult {
  readonly #thresholds: Thresholds;
  #passes: boolean;
  /** the number of consecutive other results */
  #against = 0;
  #since: number;
  #hasPassed: boolean;

  constructor(first: boolean, now: number, thresholds: Thresholds) {
    this.#passes = first;
    this.#hasPassed = first;
    this.#since = now;
    this.#thresholds = thresholds;
  }

  get passes(): boolean {
    return this.#passes;
  }

  /** when the accepted result began */
  get since(): number {
    return this.#since;
  }

  /** Adds a result. Returns whether the accepted result has changed. */
  observe(passes: boolean, now: number): boolean {
    if (passes === this.#passes) {
      this.#against = 0;
      return false;
    }
    this.#against++;
    if (this.#hasPassed && this.#against < (passes ? this.#thresholds.passes : this.#thresholds.failures)) return false;
    this.#hasPassed = true;
    this.#passes = passes;
    this.#since = now;
    this.#against = 0;
    return true;
  }
}
