import { isJsonObject, type Json, type JsonObject, setOwn } from './json.ts';
import { canonicalQuantity } from './quantity.ts';
import { decodeScalar, jsonType } from './scalars.ts';
import type { ScalarType, Schema } from './schema.ts';

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

export interface CleanOptions {
  /** null says something, too: that the field is to be what it is by default */
  readonly keepsNulls?: boolean;
}

/** Drops fields that the schema does not have and nulls, and finds values of a wrong type, in one walk. */
export function clean(
  schema: Schema,
  value: JsonObject,
  kind: string,
  { keepsNulls = false }: CleanOptions = {},
): Cleaned {
  const result: Cleaned = { value: {}, unknown: [], problems: [] };
  result.value = cleanValue(schema, value, '', { kind, keepsNulls, result, names: [], holder: kind }) as JsonObject;
  return result;
}

interface Walk {
  kind: string;
  readonly keepsNulls: boolean;
  result: Cleaned;
  /** the names of the fields on the way, without the places in lists and the keys of maps */
  readonly names: string[];
  /** the type that holds the field */
  holder: string;
}

function cleanValue(schema: Schema, value: Json, path: string, walk: Walk): Json {
  switch (schema.type) {
    case 'union': {
      const member = memberFor(schema, value);
      return member === undefined ? wrongType(value, 'union', path, walk) : cleanValue(member, value, path, walk);
    }
    case 'object':
      return isJsonObject(value)
        ? cleanObject(schema, value, path, walk)
        : wrongType(value, goType(schema), path, walk);
    case 'map': {
      if (!isJsonObject(value)) return wrongType(value, goType(schema), path, walk);
      const copy: JsonObject = {};
      const isResources = schema.values.type === 'quantity';
      for (const key of Object.keys(value)) {
        const item = value[key] as Json;
        // Go reads null as the zero value of a map's element
        if (item === null && walk.keepsNulls) setOwn(copy, key, null);
        else if (item === null) setOwn(copy, key, ZEROS[schema.values.type] ?? null);
        else if (isResources) setOwn(copy, key, cleanAmount(item, `${path}.${key}`, walk));
        else setOwn(copy, key, cleanValue(schema.values, item, `${path}.${key}`, walk));
      }
      return copy;
    }
    case 'list':
      if (!Array.isArray(value)) return wrongType(value, goType(schema), path, walk);
      return value.map((item, i) => cleanValue(schema.items, item, `${path}[${i}]`, walk));
    default:
      return cleanScalar(schema.type, value, path, walk);
  }
}

/** An amount of a resource. */
function cleanAmount(value: Json, path: string, walk: Walk): Json {
  const amount = canonicalQuantity(typeof value === 'object' ? '' : String(value), 'milli');
  if (typeof amount === 'string') return amount;
  walk.result.problems.push({ field: path, message: amount.problem });
  return value;
}

function cleanScalar(type: ScalarType, value: Json, path: string, walk: Walk): Json {
  const decoded = decodeScalar(type, value);
  if ('value' in decoded) return decoded.value;
  if ('wanted' in decoded) return wrongType(value, decoded.wanted, path, walk, decoded.found);
  walk.result.problems.push({ field: path, message: decoded.problem });
  return value;
}

const ZEROS: Readonly<Record<string, Json>> = { string: '', quantity: '0', bytes: '' };

const GO_SCALARS: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  double: 'float64',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
};

/** What Go calls a type. */
function goType(schema: Schema): string {
  switch (schema.type) {
    case 'object':
      return `v1.${schema.name ?? 'Object'}`;
    case 'list':
      return `[]${goType(schema.items)}`;
    case 'map':
      return `map[string]${goType(schema.values)}`;
    default:
      return GO_SCALARS[schema.type] ?? schema.type;
  }
}

function cleanObject(
  { fields, name }: Schema & { type: 'object' },
  value: JsonObject,
  path: string,
  walk: Walk,
): JsonObject {
  const { holder } = walk;
  if (name !== undefined) walk.holder = name;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const at = path === '' ? key : `${path}.${key}`;
    const item = value[key] as Json;
    if (field === undefined) walk.result.unknown.push(at);
    else if (item !== null) {
      // Go keeps no difference between a list or map that is empty and one that is not there
      if (!walk.keepsNulls && isHollow(field, item)) continue;
      walk.names.push(key);
      copy[key] = cleanValue(field, item, at, walk);
      walk.names.pop();
    } else if (field.nullable || walk.keepsNulls) copy[key] = null;
  }
  walk.holder = holder;
  return copy;
}

function isHollow({ type, tracksPresence, nullable }: Schema, value: Json): boolean {
  if (tracksPresence || nullable) return false;
  if (type === 'list') return Array.isArray(value) && value.length === 0;
  return type === 'map' && isJsonObject(value) && Object.keys(value).length === 0;
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

function wrongType(value: Json, wanted: string, path: string, walk: Walk, found = jsonType(value)): Json {
  const place = `${walk.holder}.${walk.names.join('.')}`;
  walk.result.problems.push({
    field: path,
    message: `json: cannot unmarshal ${found} into Go struct field ${place} of type ${wanted}`,
  });
  return value;
}
