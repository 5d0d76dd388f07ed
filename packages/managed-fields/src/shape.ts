import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { fieldElement, keyElement, type PathElement, valueElement } from './path-element.ts';

/**
 * How a value is owned: as one, or part by part. Structures and maps are owned field by field, lists item by item where
 * their items can be told apart; everything else has one owner.
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
  /** the structure itself has it, and it is not a key of a map */
  readonly isNamed: boolean;
}

/** The fields of structures that were asked for: they are asked for again and again. */
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

/** What has no field of that name, and may have it all the same. */
function schemaOfOther(schema: Schema): Schema {
  if (schema.type === 'map') return schema.values;
  if (schema.type === 'any') return schema;
  return (schema.type === 'object' ? schema.rest : undefined) ?? ANY;
}

/** An item of a list that nothing tells apart from others. */
export class Nameless extends Error {}

/** What tells an item of a list apart from the others. */
export function elementOf(schema: Schema & { type: 'list' }, item: Json): PathElement {
  if (schema.listType === 'set') {
    if (item === null || typeof item === 'object') {
      throw new Nameless(`a set has an element that is no plain value: ${JSON.stringify(item)}`);
    }
    return valueElement(item);
  }
  if (!isJsonObject(item)) throw new Nameless('associative list with keys may not have non-map elements');
  const element = keyElement(keysOf(schema, item));
  if (element !== undefined) return element;
  throw new Nameless(
    `associative list with keys has an element that omits all key fields ${JSON.stringify(schema.keys ?? [])} ` +
      "(and doesn't have default values for any key fields)",
  );
}

/** A key that the item leaves out has its default. */
function keysOf({ items, keys = [] }: Schema & { type: 'list' }, item: JsonObject): Array<[string, Json]> {
  const found: Array<[string, Json]> = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    const known = value ?? (items.type === 'object' ? items.fields[key]?.default : undefined);
    if (known !== undefined && known !== null) found.push([key, known]);
  }
  return found;
}

/** Equal as values, whatever the order of their fields. */
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
