import { copyOf, isJsonObject, type Json, type JsonObject, setOwn } from './json/json.ts';
import type { Schema } from './schema.ts';

/** Sets the schema's default for every absent field, at all depths. */
export function applyDefaults(schema: Schema, value: Json): void {
  switch (schema.type) {
    case 'object':
      if (isJsonObject(value)) defaultFields(schema, value);
      return;
    case 'list':
      if (isDeep(schema.items) && Array.isArray(value)) for (const item of value) applyDefaults(schema.items, item);
      return;
    case 'map':
      if (isDeep(schema.values) && isJsonObject(value))
        for (const item of Object.values(value)) applyDefaults(schema.values, item);
      return;
    default:
  }
}

function defaultFields(schema: Schema & { type: 'object' }, object: JsonObject): void {
  for (const [name, field] of fieldsToVisit(schema.fields)) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined) applyDefaults(field, value);
    else if (field.default !== undefined) {
      const made = copyOf(field.default);
      setOwn(object, name, made);
      applyDefaults(field, made);
    }
  }
}

type Visited = ReadonlyArray<readonly [name: string, field: Schema]>;
const visited = new WeakMap<Readonly<Record<string, Schema>>, Visited>();

/** The fields that have a default, or may contain a field with one. */
function fieldsToVisit(fields: Readonly<Record<string, Schema>>): Visited {
  let found = visited.get(fields);
  if (found === undefined) {
    found = Object.entries(fields).filter(([, field]) => field.default !== undefined || isDeep(field));
    visited.set(fields, found);
  }
  return found;
}

function isDeep(schema: Schema): boolean {
  if (schema.type === 'list') return isDeep(schema.items);
  return schema.type === 'map' ? isDeep(schema.values) : schema.type === 'object';
}
