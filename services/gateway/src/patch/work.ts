/**
 * What one patch may do, in steps: the move of one element in a list is one, some nanoseconds. Thousands of operations on a
 * list of a few hundred elements stay far below it; it is there for lists of hundreds of thousands.
 */
const MOST_STEPS = 2_000_000;
const STEPS_TO_COMPARE = 10;
const CHARACTERS_OF_A_STEP = 16;

/** Adds up what the operations of one patch do, before they do it. */
export class Work {
  readonly #refuse: (limit: number) => Error;
  #left = MOST_STEPS;

  constructor(refuse: (limit: number) => Error) {
    this.#refuse = refuse;
  }

  /** Elements of a list get another place. */
  shifts(elements: number): void {
    this.#spend(elements);
  }

  /** Values, or keys of objects, are looked at. */
  compares(values: number): void {
    this.#spend(values * STEPS_TO_COMPARE);
  }

  /** Characters of two texts are compared. */
  reads(characters: number): void {
    this.#spend(Math.ceil(characters / CHARACTERS_OF_A_STEP));
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#refuse(MOST_STEPS);
  }
}
