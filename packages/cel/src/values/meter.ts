import { CostExceeded } from './failure.ts';

/** Comparing and printing are no work that is counted as cost, but there is an end to them. */
const MOST_WORK = 20_000_000;

/** What an evaluation has cost so far. Beyond its limit nothing is evaluated on. */
export class Meter {
  cost = 0;
  readonly limit: number;
  #work = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceeded();
  }

  /** One step of something whose length is not known before. */
  step(): void {
    if (++this.#work > MOST_WORK) throw new CostExceeded();
  }
}
