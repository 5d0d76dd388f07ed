/** Names of fields in a whole body: what one object may have, and those that say who owns them. */
export const MOST_FIELDS = 150_000;
/** Values in a whole body, fields or not. */
export const MOST_VALUES = 250_000;

/** A body that would be made into more values than a gateway looks at in one turn. */
export class TooManyValues extends Error {}

/**
 * What one body is made into. To make a value takes a hundred times as long as to read past its bytes, so that a body of
 * a permitted size that is nothing but tiny values is refused as soon as they are too many.
 */
export class BodyBudget {
  #fields = 0;
  #values = 0;

  countField(): void {
    if (++this.#fields > MOST_FIELDS) throw tooManyFields();
  }

  countValue(): void {
    if (++this.#values > MOST_VALUES) throw tooManyValues();
  }
}

export function tooManyFields(): TooManyValues {
  return new TooManyValues(`it has more than ${MOST_FIELDS} fields, which is the limit`);
}

export function tooManyValues(): TooManyValues {
  return new TooManyValues(`it has more than ${MOST_VALUES} fields and items, which is the limit`);
}
