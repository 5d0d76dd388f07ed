/** How often in a row something must be seen before it is believed. */
export interface Patience {
  /** that it fails */
  readonly failures: number;
  /** that it passes again */
  readonly passes: number;
}

/**
 * A yes or no that does not flap: it changes only when the other one was seen often enough in a row. What has never
 * passed is on its way, and passes at once.
 *
 *   patience of 2 failures and 3 passes:  seen  + - + - - - + + - + + +
 *                                         holds + + + + - - - - - - - +
 */
export class Steady {
  readonly #patience: Patience;
  #passes: boolean;
  /** how often in a row the other one was seen */
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

  /** when it became so */
  get since(): number {
    return this.#since;
  }

  /** Whether that changed it. */
  see(passes: boolean, now: number): boolean {
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
