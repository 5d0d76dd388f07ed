import { CostExceeded } from './failure.ts';

/** Comparing and printing cost nothing, as in Kubernetes, unless they take long: from there on so many steps cost one. */
const FREE_STEPS = 10_000;
const STEPS = 2;
const LONG_TEXT = 1000;
const CHARACTERS = 200;
/** No text that is made is longer. */
const LONGEST_TEXT = 16 << 20;

/** What an evaluation has cost so far. Beyond its limit nothing is evaluated on. */
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

  /** Before a text is made: so many characters of it. */
  write(length: number): void {
    this.#written += length;
    if (this.#written > LONGEST_TEXT) throw new CostExceeded();
  }

  /** Going through a text once more than what it costs anyhow. */
  read(length: number): void {
    if (length > LONG_TEXT) this.spend(Math.floor(length / CHARACTERS));
  }

  /** One step of something whose length is not known before. */
  step(): void {
    if (++this.#work > FREE_STEPS && this.#work % STEPS === 0) this.spend(1);
  }
}
