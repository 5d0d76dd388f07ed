import { isJsonObject, type Json, type JsonObject, type Schema, setOwn } from '@tidegate/schema';

const known = new WeakMap<Schema, JsonObject>();

/**
 * The empty object of a kind as Go has it: structs that are not pointers exist, lists that are always written are null,
 * numbers are zero. The first author of an object does not own these fields unless it changes them.
 */
export function emptyObject(schema: Schema & { type: 'object' }): JsonObject {
  let empty = known.get(schema);
  if (empty === undefined) {
    empty = emptyFields(schema);
    known.set(schema, empty);
  }
  return empty;
}

function emptyFields({ fields }: Schema & { type: 'object' }): JsonObject {
  const empty: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = emptyField(field);
    if (value !== undefined) setOwn(empty, name, value);
  }
  return empty;
}

function emptyField(field: Schema): Json | undefined {
  const { type, default: usual, required } = field;
  if (type === 'object') return isJsonObject(usual ?? null) ? emptyFields(field) : undefined;
  if (type === 'list' || type === 'map') return required ? null : undefined;
  return usual === null || usual === '' || usual === 0 || usual === false ? usual : undefined;
}
