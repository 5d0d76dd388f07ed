import { isJsonObject, type Json, type JsonObject, setOwn } from './json.ts';
import type { Schema } from './schema.ts';

export interface TypeProblem {
  /** path of the field */
  field: string;
  /** in the words of Go's decoder, which Kubernetes users know */
  message: string;
}

export interface Cleaned {
  value: JsonObject;
  /** paths of the fields that the schema does not have; they are not in the value */
  unknown: string[];
  problems: TypeProblem[];
}

/** Drops fields that the schema does not have and nulls, and finds values of a wrong type, in one walk. */
export function clean(schema: Schema, value: JsonObject, kind: string): Cleaned {
  const result: Cleaned = { value: {}, unknown: [], problems: [] };
  result.value = cleanValue(schema, value, '', { kind, result }) as JsonObject;
  return result;
}

interface Walk {
  kind: string;
  result: Cleaned;
}

const GO_TYPES = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  bytes: '[]uint8',
};

function cleanValue(schema: Schema, value: Json, path: string, walk: Walk): Json {
  switch (schema.type) {
    case 'any':
    case 'raw':
      return value;
    case 'quantity':
      // a number is a quantity, too; it is kept as the text that it is
      if (typeof value === 'number') return String(value);
      return typeof value === 'string' ? value : wrongType(value, 'resource.Quantity', path, walk);
    case 'intOrString': {
      const whole = typeof value === 'number' && Number.isInteger(value);
      return whole || typeof value === 'string' ? value : wrongType(value, 'intstr.IntOrString', path, walk);
    }
    case 'double':
      return typeof value === 'number' ? value : wrongType(value, GO_TYPES.double, path, walk);
    case 'union': {
      const member = memberFor(schema, value);
      return member === undefined ? wrongType(value, 'union', path, walk) : cleanValue(member, value, path, walk);
    }
    case 'object':
      return isJsonObject(value)
        ? cleanObject(schema.fields, value, path, walk)
        : wrongType(value, `v1.${schema.name ?? 'Object'}`, path, walk);
    case 'map': {
      if (!isJsonObject(value)) return wrongType(value, 'map[string]string', path, walk);
      const copy: JsonObject = {};
      for (const key of Object.keys(value)) {
        const item = value[key] as Json;
        // Go reads null as the zero value of a map's element
        if (item === null) setOwn(copy, key, schema.values.type === 'string' ? '' : null);
        else setOwn(copy, key, cleanValue(schema.values, item, `${path}.${key}`, walk));
      }
      return copy;
    }
    case 'list':
      if (!Array.isArray(value)) return wrongType(value, '[]interface {}', path, walk);
      return value.map((item, i) => cleanValue(schema.items, item, `${path}[${i}]`, walk));
    case 'bool':
      return typeof value === 'boolean' ? value : wrongType(value, 'bool', path, walk);
    case 'int32':
    case 'int64':
      return typeof value === 'number' && Number.isInteger(value)
        ? value
        : wrongType(value, GO_TYPES[schema.type], path, walk);
    case 'bytes':
      if (typeof value === 'string' && !isBase64(value)) {
        walk.result.problems.push({ field: path, message: 'illegal base64 data' });
        return value;
      }
      return typeof value === 'string' ? value : wrongType(value, GO_TYPES.bytes, path, walk);
    default:
      return typeof value === 'string' ? value : wrongType(value, GO_TYPES[schema.type], path, walk);
  }
}

function cleanObject(
  fields: Readonly<Record<string, Schema>>,
  value: JsonObject,
  path: string,
  walk: Walk,
): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const at = path === '' ? key : `${path}.${key}`;
    const item = value[key] as Json;
    if (field === undefined) walk.result.unknown.push(at);
    else if (item !== null || field.nullable) copy[key] = item === null ? null : cleanValue(field, item, at, walk);
  }
  return copy;
}

const JSON_TYPES: Partial<Record<Schema['type'], string>> = {
  object: 'object',
  map: 'object',
  list: 'list',
  bool: 'boolean',
};

/** The member of a union that a value is meant for. */
export function memberFor(union: Schema & { type: 'union' }, value: Json): Schema | undefined {
  const found = Array.isArray(value) ? 'list' : typeof value;
  return union.members.find((member) => (JSON_TYPES[member.type] ?? 'string') === found);
}

function wrongType(value: Json, wanted: string, path: string, walk: Walk): Json {
  const found = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  const message = `json: cannot unmarshal ${found} into Go struct field ${walk.kind}.${path} of type ${wanted}`;
  walk.result.problems.push({ field: path, message });
  return value;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text);
}
