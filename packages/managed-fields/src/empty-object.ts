import { isJsonObject, type Json, type JsonObject, type Schema, setOwn } from '@tidegate/schema';

const known = new WeakMap<Schema, JsonObject>();

/**
 * A kind's object before anybody has said anything about it: what is there all the same is nothing that its first author
 * has added. A structure that is no pointer is there, a list that is always written is null, a number zero.
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
