/** How often in a row a result must be seen before it counts. */
export interface Patience {
  /** for a failure */
  readonly failures: number;
  /** for passing again */
  readonly passes: number;
}

/**
 * A result that does not flap: it changes only when the other result was seen often enough in a row. A check that has
 * never passed is starting, and passes at once.
 *
 *   patience of 2 failures and 3 passes:  seen  + - + - - - + + - + + +
 *                                         holds + + + + - - - - - - - +
 */
export class Steady {
  readonly #patience: Patience;
  #passes: boolean;
  /** how often in a row the other result was seen */
  #against = 0;
  #since: number;
  #hasPassed: boolean;

  constructor(first: boolean, now: number, patience: Patience) {
    this.#passes = first;
    this.#hasPassed = first;
    this.#since = now;
    this.#patience = patience;
  }

  get passes(): boolean {
    return this.#passes;
  }

  /** when the present result began */
  get since(): number {
    return this.#since;
  }

  /** Takes a result. Returns whether the steady result has changed. */
  observe(passes: boolean, now: number): boolean {
    if (passes === this.#passes) {
      this.#against = 0;
      return false;
    }
    this.#against++;
    if (this.#hasPassed && this.#against < (passes ? this.#patience.passes : this.#patience.failures)) return false;
    this.#hasPassed = true;
    this.#passes = passes;
    this.#since = now;
    this.#against = 0;
    return true;
  }
}
