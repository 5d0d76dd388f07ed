import type { BodyNotes } from './json/body-notes.ts';
import { isJsonObject, type Json, type JsonObject, setOwn } from './json/json.ts';
import { fits64Bits } from './json/whole-number.ts';
import { canonicalQuantity } from './quantity.ts';
import { decodeScalar, jsonType } from './scalars.ts';
import type { ScalarType, Schema } from './schema.ts';

export interface TypeProblem {
  /** path of the field */
  field: string;
  /** the text of Go's decoder */
  message: string;
  /** the JSON type of the value, and the Go type of the field */
  found?: string;
  wanted?: string;
}

/**
 * A field that is removed because the schema does not have it, or a repeated field of which only the last value is
 * kept.
 */
export interface Surplus {
  readonly what: 'unknown' | 'duplicate';
  /** path of the field */
  readonly field: string;
}

export interface Cleaned {
  value: JsonObject;
  /** unknown and repeated fields, in the order of the value */
  surplus: Surplus[];
  /** the first thousand */
  problems: TypeProblem[];
}

export interface CleanOptions {
  /** keeps null, which in an applied configuration means the default of the field */
  readonly keepsNulls?: boolean;
  /** what the decoder noted about the body */
  readonly notes?: BodyNotes;
}

/** Drops nulls and fields that the schema does not have, and finds values of a wrong type, in one walk. */
export function clean(
  schema: Schema,
  value: JsonObject,
  kind: string,
  { notes, keepsNulls = false }: CleanOptions = {},
): Cleaned {
  const result: Cleaned = { value: {}, surplus: [], problems: [] };
  const walk: Walk = { kind, keepsNulls, result, names: [], holder: kind, notes };
  result.value = cleanValue(schema, value, '', walk) as JsonObject;
  return result;
}

interface Walk {
  kind: string;
  readonly keepsNulls: boolean;
  result: Cleaned;
  /** the names of the fields on the path, without indexes of lists and keys of maps */
  readonly names: string[];
  /** the type that holds the field */
  holder: string;
  readonly notes: BodyNotes | undefined;
  /** the original text of the next number, where JavaScript would print it differently */
  written?: string | undefined;
}

function cleanValue(schema: Schema, value: Json, path: string, walk: Walk): Json {
  if (schema.exact) return cleanExact(schema, value, path, walk);
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
        if (walk.notes !== undefined) lookUpNotes(walk.notes, value, key, walk, `${path}.${key}`);
        // Go reads null as the zero value of a map's element
        if (item === null && walk.keepsNulls) setOwn(copy, key, null);
        else if (item === null)
          setOwn(copy, key, schema.values.type === 'object' ? {} : (ZEROS[schema.values.type] ?? null));
        else if (isResources) setOwn(copy, key, cleanAmount(item, `${path}.${key}`, walk));
        else setOwn(copy, key, cleanValue(schema.values, item, `${path}.${key}`, walk));
      }
      return copy;
    }
    case 'list':
      if (!Array.isArray(value)) return wrongType(value, goType(schema), path, walk);
      return value.map((item, i) => {
        if (walk.notes !== undefined) walk.written = walk.notes.written.get(value)?.get(i);
        return cleanValue(schema.items, item, `${path}[${i}]`, walk);
      });
    case 'any':
    case 'raw':
      if (walk.notes !== undefined && walk.notes.repeatedKeys.size > 0) reportRepeatedKeys(value, path, walk);
      return value;
    default:
      return cleanScalar(schema.type, value, path, walk);
  }
}

/** Only drops unknown fields, and nulls where null is not a value. The types are checked elsewhere. */
function cleanExact(schema: Schema, value: Json, path: string, walk: Walk): Json {
  if (schema.type === 'list' && Array.isArray(value)) {
    return value.map((item, i) => (item === null ? null : cleanValue(schema.items, item, `${path}[${i}]`, walk)));
  }
  if ((schema.type === 'object' || schema.type === 'map') && isJsonObject(value)) {
    return cleanMembers(schema, value, path, walk);
  }
  if (walk.notes !== undefined && walk.notes.repeatedKeys.size > 0) reportRepeatedKeys(value, path, walk);
  if (schema.type === 'any' && hasTooLarge(value)) reportTooLarge(value, path, walk);
  // a field of this type has the precision of a double
  return schema.type === 'double' && typeof value === 'bigint' && !fits64Bits(value) ? Number(value) : value;
}

/** Integers in values that are kept unchanged must fit into 64 bits: Go would return larger ones with other digits. */
function reportTooLarge(value: Json, path: string, walk: Walk): void {
  if (typeof value === 'bigint' && !fits64Bits(value)) {
    const digits = String(value);
    // only the first digits of a very long number are exact
    const shown = digits.length <= 40 ? digits : `${digits.slice(0, 15)}...`;
    const message = `json: cannot unmarshal number ${shown} into Go value of type int64`;
    report(walk, { field: path, message });
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) reportTooLarge(item, `${path}[${i}]`, walk);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) reportTooLarge(value[key] as Json, `${path}.${key}`, walk);
  }
}

function hasTooLarge(value: Json): boolean {
  if (typeof value === 'bigint') return !fits64Bits(value);
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? value : Object.values(value)).some(hasTooLarge);
}

function cleanMembers(
  schema: Schema & { type: 'object' | 'map' },
  value: JsonObject,
  path: string,
  walk: Walk,
): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = memberOf(schema, key);
    const at = path === '' ? key : `${path}.${key}`;
    const item = value[key] as Json;
    if (field === undefined) {
      walk.result.surplus.push({ what: 'unknown', field: at });
      continue;
    }
    if (walk.notes !== undefined) lookUpNotes(walk.notes, value, key, walk, at);
    if (item === null) {
      if (field.nullable || field.type === 'any' || walk.keepsNulls) setOwn(copy, key, null);
      continue;
    }
    walk.names.push(key);
    setOwn(copy, key, cleanValue(field, item, at, walk));
    walk.names.pop();
  }
  return copy;
}

function memberOf(schema: Schema & { type: 'object' | 'map' }, key: string): Schema | undefined {
  if (schema.type === 'map') return schema.values;
  return Object.hasOwn(schema.fields, key) ? schema.fields[key] : schema.rest;
}

/** Looks up the notes about the next field. */
function lookUpNotes(notes: BodyNotes, holder: JsonObject, key: string, walk: Walk, path: string): void {
  walk.written = notes.written.get(holder)?.get(key);
  if (notes.repeatedKeys.get(holder)?.has(key)) walk.result.surplus.push({ what: 'duplicate', field: path });
}

/** Values that are kept unchanged may have any key, but each only once. */
function reportRepeatedKeys(value: Json, path: string, walk: Walk): void {
  for (const field of repeatedFields(value, walk.notes as BodyNotes, path)) {
    walk.result.surplus.push({ what: 'duplicate', field });
  }
}

/** The paths of the repeated fields. */
export function repeatedFields(value: Json, notes: BodyNotes, path = ''): string[] {
  const fields: string[] = [];
  const visit = (item: Json, at: string): void => {
    if (Array.isArray(item)) {
      for (const [i, inner] of item.entries()) visit(inner, `${at}[${i}]`);
    } else if (isJsonObject(item)) {
      const repeatedKeys = notes.repeatedKeys.get(item);
      for (const key of Object.keys(item)) {
        const field = at === '' ? key : `${at}.${key}`;
        if (repeatedKeys?.has(key)) fields.push(field);
        visit(item[key] as Json, field);
      }
    }
  };
  visit(value, path);
  return fields;
}

/** Cleans an amount of a resource, such as a limit. */
function cleanAmount(value: Json, path: string, walk: Walk): Json {
  const amount = canonicalQuantity(typeof value === 'object' ? '' : (walk.written ?? String(value)), 'milli');
  if (typeof amount === 'string') return amount;
  report(walk, { field: path, message: amount.problem });
  return value;
}

function cleanScalar(type: ScalarType, value: Json, path: string, walk: Walk): Json {
  const decoded = decodeScalar(type, value, walk.written);
  if ('value' in decoded) return decoded.value;
  if ('wanted' in decoded) return wrongType(value, decoded.wanted, path, walk, decoded.found);
  report(walk, { field: path, message: decoded.problem });
  return value;
}

const ZEROS: Readonly<Record<string, Json>> = { string: '', quantity: '0', bytes: '' };

const GO_SCALARS: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  double: 'float64',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
};

/** The name of the type in Go. */
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
    if (field === undefined) {
      walk.result.surplus.push({ what: 'unknown', field: at });
      continue;
    }
    if (walk.notes !== undefined) lookUpNotes(walk.notes, value, key, walk, at);
    if (item !== null) {
      // Go does not distinguish an empty value from a missing one, except for pointers
      if (!walk.keepsNulls && isHollow(field, item)) continue;
      walk.names.push(key);
      copy[key] = cleanValue(field, item, at, walk);
      walk.names.pop();
    } else if (field.nullable || walk.keepsNulls) copy[key] = null;
  }
  walk.holder = holder;
  return copy;
}

function isHollow(field: Schema, value: Json): boolean {
  const { type, tracksPresence, nullable } = field;
  if (tracksPresence || nullable) return false;
  if (type === 'list') return Array.isArray(value) && value.length === 0;
  if (type === 'map') return isJsonObject(value) && Object.keys(value).length === 0;
  return isZero(field, value);
}

/** Fields without a number in Protobuf are those of custom resources; their zeros are kept. */
function isZero({ type, required, number, default: made }: Schema, value: Json): boolean {
  if (number === undefined || required || made !== undefined) return false;
  return Object.hasOwn(EMPTY, type) && EMPTY[type] === value;
}
const EMPTY: Readonly<Record<string, Json>> = {
  string: '',
  bytes: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

const JSON_TYPES: Partial<Record<Schema['type'], string>> = {
  object: 'object',
  map: 'object',
  list: 'list',
  bool: 'boolean',
};

/** The member of a union that fits the JSON type of the value. */
export function memberFor(union: Schema & { type: 'union' }, value: Json): Schema | undefined {
  const found = Array.isArray(value) ? 'list' : typeof value;
  return union.members.find((member) => (JSON_TYPES[member.type] ?? 'string') === found);
}

function wrongType(value: Json, wanted: string, path: string, walk: Walk, found = jsonType(value)): Json {
  const place = `${walk.holder}.${walk.names.join('.')}`;
  report(walk, {
    field: path,
    message: `json: cannot unmarshal ${found} into Go struct field ${place} of type ${wanted}`,
    found,
    wanted,
  });
  return value;
}

/** Further problems are not reported. */
const MAX_PROBLEMS = 1000;

function report({ result }: Walk, problem: TypeProblem): void {
  if (result.problems.length < MAX_PROBLEMS) result.problems.push(problem);
}
