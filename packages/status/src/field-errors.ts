import type { FieldError } from './field-error.ts';

/** So many errors of one object are told. Far more than anybody reads, and few enough to be made and sent at once. */
export const MOST_ERRORS = 1000;
/** So many characters of them; the one that crosses the mark is told. */
const MOST_CHARACTERS = 256 << 10;

/**
 * Errors of one object, in the order in which they are found.
 *
 * Invariant: the list holds the first of them. Those beyond the bound are counted in its last entry, and their words are
 * never made: an object of many wrong fields costs no more than its walk.
 */
export class FieldErrors {
  readonly list: FieldError[];
  #room = MOST_CHARACTERS;
  #rest: Rest | undefined;

  constructor(list: FieldError[] = []) {
    this.list = list;
  }

  /** All that were found, those included that are only counted. */
  get count(): number {
    return this.list.length + Math.max((this.#rest?.more ?? 0) - 1, 0);
  }

  /** One error, or the same one so many times. */
  add(make: () => FieldError, times = 1): void {
    for (let left = times; left > 0; left--) {
      if (this.#isFull()) {
        this.#countRest(left);
        return;
      }
      const error = make();
      this.#room -= error.field.length + error.message.length;
      this.list.push(error);
    }
  }

  #isFull(): boolean {
    return this.#rest !== undefined || this.list.length >= MOST_ERRORS || this.#room <= 0;
  }

  #countRest(more: number): void {
    if (this.#rest === undefined) {
      this.#rest = new Rest();
      this.list.push(this.#rest);
    }
    this.#rest.more += more;
  }
}

class Rest implements FieldError {
  readonly field = '';
  readonly type = 'FieldValueTooMany';
  more = 0;

  get message(): string {
    return `and ${this.more} more`;
  }
}
