/** The most field names in a body, including those in `managedFields`. */
export const MAX_FIELDS = 150_000;
/** The most values in a body, including items of lists. */
export const MAX_VALUES = 250_000;

/** The body contains more values than one request may have. */
export class TooManyValues extends Error {}

/**
 * Counts the values that are decoded from one body. Making a value takes a hundred times as long as skipping its bytes,
 * so a body of permitted size that consists of tiny values is rejected as soon as there are too many.
 */
export class BodyBudget {
  #fields = 0;
  #values = 0;

  countField(): void {
    if (++this.#fields > MAX_FIELDS) throw tooManyFields();
  }

  countValue(): void {
    if (++this.#values > MAX_VALUES) throw tooManyValues();
  }
}

export function tooManyFields(): TooManyValues {
  return new TooManyValues(`it has more than ${MAX_FIELDS} fields, which is the limit`);
}

export function tooManyValues(): TooManyValues {
  return new TooManyValues(`it has more than ${MAX_VALUES} fields and items, which is the limit`);
}
