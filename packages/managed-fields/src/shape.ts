import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { fieldElement, keyElement, type PathElement, valueElement } from './path-element.ts';

/**
 * How a value is owned: as a whole or by parts. Structs and maps are owned field by field, lists of type `set` and
 * `map` item by item; all other values have one owner.
 */
export type Shape =
  | { readonly kind: 'whole' }
  | { readonly kind: 'fields'; readonly schema: Schema }
  | { readonly kind: 'items'; readonly schema: Schema & { type: 'list' } };

const WHOLE: Shape = { kind: 'whole' };
const shapes = new WeakMap<Schema, Shape>();

export function shapeOf(schema: Schema): Shape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    shape = findShape(schema);
    shapes.set(schema, shape);
  }
  return shape;
}

function findShape(schema: Schema): Shape {
  switch (schema.type) {
    case 'object':
    case 'map':
      return schema.atomic ? WHOLE : { kind: 'fields', schema };
    case 'raw':
      return { kind: 'fields', schema };
    case 'any':
      return schema.deduced ? { kind: 'fields', schema } : WHOLE;
    case 'list':
      return schema.listType === 'set' || schema.listType === 'map' ? { kind: 'items', schema } : WHOLE;
    default:
      return WHOLE;
  }
}

const ANY: Schema = { type: 'any' };

export interface Field {
  readonly schema: Schema;
  readonly element: PathElement;
  /** a field of a struct, not a key of a map */
  readonly isNamed: boolean;
}

/** A cache of struct fields, because they are looked up repeatedly. */
const named = new WeakMap<Schema, Map<string, Field>>();

export function fieldOf(schema: Schema, name: string): Field {
  const known = schema.type === 'object' ? namedField(schema, name) : undefined;
  return known ?? { schema: schemaOfOther(schema), element: fieldElement(name), isNamed: false };
}

function namedField(schema: Schema & { type: 'object' }, name: string): Field | undefined {
  let fields = named.get(schema);
  if (fields === undefined) {
    fields = new Map();
    named.set(schema, fields);
  }
  let field = fields.get(name);
  if (field === undefined && Object.hasOwn(schema.fields, name)) {
    field = { schema: schema.fields[name] as Schema, element: fieldElement(name), isNamed: true };
    fields.set(name, field);
  }
  return field;
}

/** The schema of fields that the struct does not name. */
function schemaOfOther(schema: Schema): Schema {
  if (schema.type === 'map') return schema.values;
  if (schema.type === 'any') return schema;
  return (schema.type === 'object' ? schema.rest : undefined) ?? ANY;
}

/** An item of a list that lacks the value or keys to identify it. */
export class UnidentifiedItem extends Error {}

/** The element that identifies an item of a list. */
export function elementOf(schema: Schema & { type: 'list' }, item: Json): PathElement {
  if (schema.listType === 'set') {
    if (item === null || typeof item === 'object') {
      throw new UnidentifiedItem(`a set has an element that is not a scalar: ${JSON.stringify(item)}`);
    }
    return valueElement(item);
  }
  if (!isJsonObject(item)) throw new UnidentifiedItem('associative list with keys may not have non-map elements');
  const element = keyElement(keysOf(schema, item));
  if (element !== undefined) return element;
  throw new UnidentifiedItem(
    `associative list with keys has an element that omits all key fields ${JSON.stringify(schema.keys ?? [])} ` +
      "(and doesn't have default values for any key fields)",
  );
}

/** A missing key has its default. */
function keysOf({ items, keys = [] }: Schema & { type: 'list' }, item: JsonObject): Array<[string, Json]> {
  const found: Array<[string, Json]> = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    const known = value ?? (items.type === 'object' ? items.fields[key]?.default : undefined);
    if (known !== undefined && known !== null) found.push([key, known]);
  }
  return found;
}

/** Deep equality that ignores the order of fields. */
export function isSame(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i] as Json));
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] as Json, b[key] as Json))
  );
}
