import { CostExceeded } from './failure.ts';

/** Comparing and printing are free, as in Kubernetes, up to this many steps; after that STEPS steps cost one unit. */
const FREE_STEPS = 10_000;
const STEPS = 2;
const LONG_TEXT = 1000;
const CHARACTERS = 200;
/** The longest string that an expression may create. */
const MAX_TEXT_LENGTH = 16 << 20;

/** The cost of an evaluation so far. Exceeding the limit ends the evaluation. */
export class Meter {
  cost = 0;
  readonly limit: number;
  #work = 0;
  #written = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceeded();
  }

  /** Charges for a string before it is created. */
  write(length: number): void {
    this.#written += length;
    if (this.#written > MAX_TEXT_LENGTH) throw new CostExceeded();
  }

  /** Charges for one extra pass over a string. */
  read(length: number): void {
    if (length > LONG_TEXT) this.spend(Math.floor(length / CHARACTERS));
  }

  /** Charges for a step of an operation of unknown length. */
  step(count = 1): void {
    this.#work += count;
    if (this.#work > FREE_STEPS) this.spend(count / STEPS);
  }
}
