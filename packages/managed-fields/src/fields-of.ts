import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { EMPTY, type FieldSet } from './field-set.ts';
import { FieldSetEntries } from './field-set-entries.ts';
import type { PathElement } from './path-element.ts';
import { elementOf, fieldOf, shapeOf } from './shape.ts';

/** The fields that an applied configuration sets: its leaves, the keys of its maps and the items of its lists. */
export function fieldsOf(schema: Schema, value: Json): FieldSet {
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isJsonObject(value)) return fieldsOfObject(shape.schema, value);
  if (shape.kind === 'items' && Array.isArray(value)) return fieldsOfList(shape.schema, value);
  return EMPTY;
}

function fieldsOfObject(schema: Schema, value: JsonObject): FieldSet {
  const entries = new FieldSetEntries();
  for (const name of Object.keys(value)) {
    const field = fieldOf(schema, name);
    const item = value[name] as Json;
    const isEmpty = item === null || (isJsonObject(item) && Object.keys(item).length === 0);
    const isMember = !field.isNamed || isEmpty || isLeaf(field.schema, item);
    entries.add(field.element, isMember, fieldsOf(field.schema, item));
  }
  return entries.finish();
}

function fieldsOfList(schema: Schema & { type: 'list' }, items: readonly Json[]): FieldSet {
  const entries = new FieldSetEntries();
  const count = new Map<PathElement, number>();
  const elements = items.map((item) => elementOf(schema, item));
  for (const element of elements) count.set(element, (count.get(element) ?? 0) + 1);
  for (const [i, element] of elements.entries()) {
    const same = count.get(element);
    // parts of duplicate items cannot be owned
    if (same === 1) entries.add(element, true, fieldsOf(schema.items, items[i] as Json));
    else if (same !== undefined) entries.add(element, true, EMPTY);
    count.delete(element);
  }
  return entries.finish();
}

/** The value has no parts that could be owned separately. */
function isLeaf(schema: Schema, value: Json): boolean {
  const { kind } = shapeOf(schema);
  if (kind === 'fields') return value !== null && !isJsonObject(value);
  if (kind === 'items') return value !== null && !Array.isArray(value);
  return true;
}
