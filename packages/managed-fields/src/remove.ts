import { isJsonObject, type Json, type JsonObject, type Schema, setOwn } from '@tidegate/schema';
import type { FieldSet } from './field-set.ts';
import { elementOf, fieldOf, shapeOf } from './shape.ts';

/** The object without the fields and items of the set. A value that has lost all its parts becomes null. */
export function removeFields(schema: Schema, object: JsonObject, fields: FieldSet): JsonObject {
  return fields.isEmpty ? object : ((removeFrom(schema, object, fields) ?? {}) as JsonObject);
}

function removeFrom(schema: Schema, value: Json, fields: FieldSet): Json {
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isJsonObject(value)) {
    const kept: JsonObject = {};
    for (const name of Object.keys(value)) {
      const field = fieldOf(shape.schema, name);
      if (fields.has(field.element)) continue;
      const below = fields.under(field.element);
      const item = value[name] as Json;
      setOwn(kept, name, below === undefined ? item : removeFrom(field.schema, item, below));
    }
    return Object.keys(kept).length > 0 ? kept : null;
  }
  if (shape.kind === 'items' && Array.isArray(value)) {
    const kept: Json[] = [];
    for (const item of value) {
      const element = elementOf(shape.schema, item);
      if (fields.has(element)) continue;
      const below = fields.under(element);
      kept.push(below === undefined ? item : removeFrom(shape.schema.items, item, below));
    }
    return kept.length > 0 ? kept : null;
  }
  // an atomic value has no parts that could be removed
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'object' ? null : value;
}
