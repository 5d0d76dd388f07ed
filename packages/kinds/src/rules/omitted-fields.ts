import type { Json, Schema } from '@tidegate/schema';
import { type FieldError, requiredValue } from '@tidegate/status';

/** What rules say of a value that is not there: that the zero value is not a good one. */
const OF_ZERO = new Set(['FieldValueInvalid', 'FieldValueNotSupported']);

/**
 * Errors about fields that have to be there and are not, told as that: once for each field, as a missing value. A rule that
 * finds fault with the zero value of such a field would tell its user about a value that nobody wrote.
 */
export function tellOmitted(schema: Schema, object: Json, errors: readonly FieldError[]): FieldError[] {
  const told = new Set(errors.filter(({ type }) => type === 'FieldValueRequired').map(({ field }) => field));
  const result: FieldError[] = [];
  const omitted = new Map<string, boolean>();
  const isZero = (field: string): boolean => {
    let found = omitted.get(field);
    if (found === undefined) {
      found = isOmitted(schema, object, stepsOf(field));
      omitted.set(field, found);
    }
    return found;
  };
  for (const error of errors) {
    if (!OF_ZERO.has(error.type) || error.byRule === true || !isZero(error.field)) {
      result.push(error);
    } else if (!told.has(error.field)) {
      told.add(error.field);
      result.push(requiredValue(error.field));
    }
  }
  return result;
}

/** `spec.ports[0].port` goes down by four steps. */
function stepsOf(field: string): string[] {
  return field.match(/[^.[\]]+/g) ?? [];
}

function isOmitted(schema: Schema, value: Json | undefined, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return schema.required === true && isNothing(value);
  if (schema.type === 'list') {
    const items = Array.isArray(value) ? value : [];
    if (/^\d+$/.test(step)) return isOmitted(schema.items, items[Number(step)], rest);
    // some rules name the list alone, and mean one of its items
    return items.some((item) => isOmitted(schema.items, item, [step, ...rest]));
  }
  if (schema.type !== 'object' || !Object.hasOwn(schema.fields, step)) return false;
  const below = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[step] : undefined;
  return isOmitted(schema.fields[step] as Schema, below, rest);
}

/** Nothing was written, or what programs write that leave nothing out: for a field that has to be there both say the same. */
function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.values(value).every(isNothing);
}
