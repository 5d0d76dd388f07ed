/** One error of a field, with the message of Kubernetes. */
export interface FieldError {
  readonly field: string;
  /** the cause's reason in the Status */
  readonly type: FieldErrorType;
  /** without the field's name */
  readonly message: string;
  /** reported by a rule and not by the schema, so the object does not count as malformed */
  readonly byRule?: true;
  /** the number of errors that this entry stands for */
  readonly more?: number;
}

type FieldErrorType =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound'
  | 'FieldValueTypeInvalid';

export function fieldError(field: string, type: FieldErrorType, message: string): FieldError {
  return { field, type, message };
}

export function requiredValue(field: string, detail = ''): FieldError {
  return fieldError(field, 'FieldValueRequired', detail === '' ? 'Required value' : `Required value: ${detail}`);
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  const suffix = detail === '' ? '' : `: ${detail}`;
  return fieldError(field, 'FieldValueInvalid', `Invalid value: ${printValue(value)}${suffix}`);
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError(field, 'FieldValueTypeInvalid', `Invalid value: ${printValue(value)}: ${detail}`);
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((s) => JSON.stringify(s)).join(', ');
  return fieldError(
    field,
    'FieldValueNotSupported',
    `Unsupported value: ${printValue(value)}: supported values: ${list}`,
  );
}

export function forbiddenField(field: string, detail: string): FieldError {
  return fieldError(field, 'FieldValueForbidden', `Forbidden: ${detail}`);
}

export function duplicateValue(field: string, value: unknown, detail = ''): FieldError {
  const suffix = detail === '' ? '' : `: ${detail}`;
  return fieldError(field, 'FieldValueDuplicate', `Duplicate value: ${printValue(value)}${suffix}`);
}

export function notFoundValue(field: string, value: unknown): FieldError {
  return fieldError(field, 'FieldValueNotFound', `Not found: ${printValue(value)}`);
}

export function tooLong(field: string, detail: string): FieldError {
  return fieldError(field, 'FieldValueTooLong', `Too long: ${detail}`);
}

export function tooMany(field: string, count: number, most: number): FieldError {
  return fieldError(field, 'FieldValueTooMany', `Too many: ${count}: must have at most ${most} items`);
}

/** Longer values are cut in messages. */
const MAX_VALUE_LENGTH = 64 << 10;

/** Prints a value as JSON; very long ones are cut. */
function printValue(value: unknown): string {
  const isLong = typeof value === 'string' && value.length > MAX_VALUE_LENGTH;
  if (isLong) return JSON.stringify(`${value.slice(0, MAX_VALUE_LENGTH)}...`);
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}...`;
}
