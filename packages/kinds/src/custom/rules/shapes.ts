import {
  boolShape,
  bytesShape,
  dateShape,
  doubleShape,
  durationShape,
  intOrStringShape,
  intShape,
  listShape,
  mapShape,
  objectShape,
  type Shape,
  type ShapeField,
  stringShape,
  timeShape,
} from '@tidegate/cel';
import type { JsonSchema } from '../values/json-schema.ts';
import { expressionName } from './names.ts';

/** The maximum size of a request. It limits values that the schema does not limit. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
const MAX_CHARACTER_BYTES = 4;

/**
 * The shape of the values of a schema: their type in expressions, and their largest size. undefined when expressions
 * cannot use them, because their type is unknown. The name is that of the type in messages.
 */
export function shapeOf(schema: JsonSchema, name: string, isRoot: boolean): Shape | undefined {
  if (schema['x-kubernetes-int-or-string']) return intOrStringShape(maxTextBytes(schema));
  switch (schema.type) {
    case 'array':
      return listOf(schema, name);
    case 'object':
      return isRoot ? fieldsOf(withIdentity(schema), name) : objectOf(schema, name);
    case 'string':
      return textOf(schema);
    case 'boolean':
      return boolShape;
    case 'number':
      return doubleShape;
    case 'integer':
      return intShape;
    default:
      return undefined;
  }
}

export function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

const TEXT: JsonSchema = { type: 'string' };
const META: JsonSchema = { type: 'object', properties: { name: TEXT, generateName: TEXT } };

/** The fields of every object: apiVersion, kind, and metadata with its names. */
function withIdentity(schema: JsonSchema): JsonSchema {
  return { ...schema, properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: META } };
}

const notNegative = (count: number): number => Math.max(0, count);

function maxTextBytes({ maxLength }: JsonSchema): number {
  return maxLength === undefined ? MAX_REQUEST_BYTES - 2 : notNegative(maxLength) * MAX_CHARACTER_BYTES;
}

function textOf(schema: JsonSchema): Shape {
  switch (schema.format) {
    case 'byte':
      return bytesShape(schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : notNegative(schema.maxLength));
    case 'duration':
      return durationShape;
    case 'date':
      return dateShape;
    case 'date-time':
      return timeShape;
  }
  const { enum: allowed = [], maxLength } = schema;
  if (maxLength !== undefined || allowed.length === 0) return stringShape(maxTextBytes(schema));
  const lengths = allowed.map((one) => (typeof one === 'string' ? Buffer.byteLength(one) : 0));
  return stringShape(lengths.reduce((most, one) => Math.max(most, one), 0));
}

function listOf(schema: JsonSchema, name: string): Shape | undefined {
  const { items, maxItems, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const item = items === undefined ? undefined : shapeOf(items, `${name}.@idx`, isEmbedded(items));
  if (item === undefined) return undefined;
  const most = maxItems ?? Math.floor((MAX_REQUEST_BYTES - 2) / (item.minSize + 1));
  const shape = listShape(item, notNegative(most));
  if (listType === 'set') return { ...shape, distinct: 'items' };
  return listType === 'map' ? { ...shape, distinct: keys.map((key) => expressionName(key) ?? key) } : shape;
}

function objectOf(schema: JsonSchema, name: string): Shape | undefined {
  const { additionalProperties, maxProperties } = schema;
  if (isEmbedded(schema)) return fieldsOf(withIdentity(schema), name);
  if (typeof additionalProperties !== 'object') return fieldsOf(schema, name);
  const value = shapeOf(additionalProperties, `${name}.@elem`, isEmbedded(additionalProperties));
  if (value === undefined) return undefined;
  // each value has a key, its quotes, a colon and a comma around it
  const most = maxProperties ?? Math.floor((MAX_REQUEST_BYTES - 2) / (value.minSize + 6));
  return mapShape(value, notNegative(most));
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema, name: string): Shape {
  const fields = new Map<string, ShapeField>();
  const requiredFields = new Set(required);
  let minSize = 2;
  for (const [field, schema] of Object.entries(properties)) {
    const expressionField = expressionName(field);
    const shape = shapeOf(schema, `${name}.${expressionField ?? field}`, isEmbedded(schema));
    if (shape === undefined) continue;
    if (expressionField !== undefined) fields.set(expressionField, { name: field, shape });
    if (requiredFields.has(field) && schema.default === undefined) {
      minSize += Buffer.byteLength(field) + shape.minSize + 4;
    }
  }
  return objectShape(name, fields, minSize);
}
