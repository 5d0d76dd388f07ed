import type { Json, JsonObject } from '@tidegate/schema';
import { type FieldError, FieldErrors, forbiddenField, invalidValue, tooLong } from '@tidegate/status';
import type { Family } from '../family.ts';
import { configKeyProblems } from '../objects/names.ts';
import { countAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';

const DATA_MAX_BYTES = 1 << 20;

export const configMaps: Family = {
  rules: { configmaps: { validate, validateUpdate } },
  columns: {
    configmaps: [
      nameColumn,
      column('Data', 'Number of entries', (object) => countAt(object, 'data') + countAt(object, 'binaryData')),
      ageColumn,
    ],
  },
  usage: { configmaps: { names: ['configmaps'] } },
};

function validate(object: JsonObject): FieldError[] {
  const errors = new FieldErrors();
  const data = (object.data ?? {}) as Record<string, string>;
  const binary = (object.binaryData ?? {}) as Record<string, string>;
  let bytes = 0;
  for (const [field, map] of [
    ['data', data],
    ['binaryData', binary],
  ] as const) {
    for (const [key, value] of Object.entries(map)) {
      bytes += field === 'data' ? Buffer.byteLength(value) : Buffer.byteLength(value, 'base64');
      for (const text of configKeyProblems(key)) errors.add(() => invalidValue(`${field}[${key}]`, key, text));
      if (field === 'binaryData' && Object.hasOwn(data, key)) {
        errors.add(() => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
      }
    }
  }
  if (bytes > DATA_MAX_BYTES) errors.add(() => tooLong('', `may not be more than ${DATA_MAX_BYTES} bytes`));
  return errors.list;
}

function validateUpdate(object: JsonObject, old: JsonObject): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  const text = 'field is immutable when `immutable` is set';
  if (object.immutable !== true) errors.push(forbiddenField('immutable', text));
  for (const field of ['data', 'binaryData'] as const) {
    if (!sameTexts(object[field], old[field])) errors.push(forbiddenField(field, text));
  }
  return errors;
}

function sameTexts(a: Json | undefined, b: Json | undefined): boolean {
  const left = (a ?? {}) as Record<string, string>;
  const right = (b ?? {}) as Record<string, string>;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && left[key] === right[key])
  );
}
