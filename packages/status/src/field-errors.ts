import type { FieldError } from './field-error.ts';

/** The maximum number of errors that are listed for one object. */
export const MAX_ERRORS = 1000;
/** The maximum number of characters of all listed errors together; the error that crosses it is still listed. */
const MAX_CHARACTERS = 256 << 10;

/**
 * The errors of one object, in the order in which they are found.
 *
 * Invariant: the list holds the first errors, and its last entry counts those beyond the limit. Their messages are
 * never built, so an object with many invalid fields costs no more than its walk.
 */
export class FieldErrors {
  readonly list: FieldError[];
  #room = MAX_CHARACTERS;
  #rest: Rest | undefined;

  constructor(list: FieldError[] = []) {
    this.list = list;
  }

  /** The number of errors, including those that are only counted. */
  get count(): number {
    return this.list.length + Math.max((this.#rest?.more ?? 0) - 1, 0);
  }

  /** Adds one error, or the same error several times. */
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
    return this.#rest !== undefined || this.list.length >= MAX_ERRORS || this.#room <= 0;
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
