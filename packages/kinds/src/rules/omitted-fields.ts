import type { Json, Schema } from '@tidegate/schema';
import { type FieldError, requiredValue } from '@tidegate/status';

/** The error types by which rules report an absent value: its zero value is invalid. */
const OF_ZERO = new Set(['FieldValueInvalid', 'FieldValueNotSupported']);

/**
 * Reports errors of absent required fields as missing values, once for each field. A rule that rejects the zero value
 * of such a field would show a value that the client did not write.
 */
export function reportOmitted(schema: Schema, object: Json, errors: readonly FieldError[]): FieldError[] {
  const reported = new Set(errors.filter(({ type }) => type === 'FieldValueRequired').map(({ field }) => field));
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
    } else if (!reported.has(error.field)) {
      reported.add(error.field);
      result.push(requiredValue(error.field));
    }
  }
  return result;
}

/** The steps of a path; `spec.ports[0].port` has four. */
function stepsOf(field: string): string[] {
  return field.match(/[^.[\]]+/g) ?? [];
}

function isOmitted(schema: Schema, value: Json | undefined, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return schema.required === true && isNothing(value);
  if (schema.type === 'list') {
    const items = Array.isArray(value) ? value : [];
    if (/^\d+$/.test(step)) return isOmitted(schema.items, items[Number(step)], rest);
    // some rules report the list, and mean one of its items
    return items.some((item) => isOmitted(schema.items, item, [step, ...rest]));
  }
  if (schema.type !== 'object' || !Object.hasOwn(schema.fields, step)) return false;
  const below = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[step] : undefined;
  return isOmitted(schema.fields[step] as Schema, below, rest);
}

/**
 * Whether a value is absent or zero: for a required field both mean the same, because some programs write zero
 * values.
 */
function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.values(value).every(isNothing);
}
