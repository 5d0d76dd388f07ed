import type { Json, JsonObject } from '@tidegate/schema';

/**
 * The work limit of one patch, in steps. Shifting one list element is one step of some nanoseconds. Thousands of
 * operations on lists of a few hundred elements stay far below the limit, which is meant for lists of hundreds of
 * thousands.
 */
const MOST_STEPS = 2_000_000;
const STEPS_TO_COMPARE = 10;
const CHARACTERS_OF_A_STEP = 16;

/** Counts the work of a patch's operations before they are executed. */
export class WorkLimit {
  readonly #refuse: (limit: number) => Error;
  #left = MOST_STEPS;

  constructor(refuse: (limit: number) => Error) {
    this.#refuse = refuse;
  }

  /** Elements of a list are shifted. */
  shifts(elements: number): void {
    this.#spend(elements);
  }

  /** Values, or keys of objects, are compared. */
  compares(values: number): void {
    this.#spend(values * STEPS_TO_COMPARE);
  }

  /** Characters of two strings are compared. */
  reads(characters: number): void {
    this.#spend(Math.ceil(characters / CHARACTERS_OF_A_STEP));
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#refuse(MOST_STEPS);
  }
}

/** Deep equality: numbers by value, objects without regard to order. */
export function isSameJson(a: Json, b: Json, work: WorkLimit): boolean {
  work.compares(1);
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) work.reads(a.length);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && isSameList(a, b, work);
  }
  return isSameObject(a, b, work);
}

function isSameList(a: readonly Json[], b: readonly Json[], work: WorkLimit): boolean {
  return a.length === b.length && a.every((item, i) => isSameJson(item, b[i] as Json, work));
}

function isSameObject(a: JsonObject, b: JsonObject, work: WorkLimit): boolean {
  const keys = Object.keys(a);
  const count = Object.keys(b).length;
  work.compares(keys.length + count);
  if (keys.length !== count) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key] as Json, b[key] as Json, work));
}
