import { clean, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { fieldError } from '@tidegate/status';
import type { Place } from '../rules/place.ts';
import type { JsonSchema } from './values/json-schema.ts';
import { patternProblem } from './values/pattern.ts';
import { schemaOf } from './values/schema-of.ts';
import { ValueRules } from './values/value-rules.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const NOT_SUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/**
 * Checks that the schema of a definition is structural: the type of every field is known, so that it can be pruned,
 * get defaults, and have an owner.
 */
export function checkSchema(root: Place, hasStatus: boolean): void {
  if (root.object.nullable === true) root.field('nullable').forbidden('nullable cannot be true at the root');
  if (hasStatus && root.has('type') && root.object.type !== 'object') {
    root
      .field('type')
      .invalid('only "object" is allowed as the type at the root of the schema if the status subresource is enabled');
  }
  each(root, checkKeywords);
  checkStructure(root, 'root');
}

type Level = 'root' | 'field' | 'item';

/** All schemas within a schema. */
function each(schema: Place, visit: (schema: Place) => void): void {
  visit(schema);
  for (const place of innerSchemas(schema)) each(place, visit);
  for (const place of valueSchemas(schema)) each(place, visit);
}

// a definition can have thousands of schemas with few keywords: places are made only for present keywords

function properties(schema: Place): Place[] {
  if (schema.object.properties === undefined) return [];
  return Object.entries(schema.field('properties').object).map(([name, one]) => schema.as(`properties[${name}]`, one));
}

function innerSchemas(schema: Place): Place[] {
  const more = ['additionalProperties', 'items'].filter((name) => schema.has(name)).map((name) => schema.field(name));
  return [...properties(schema), ...more].filter(({ value }) => isJsonObject(value));
}

/** Schemas in keywords that do not define the structure, such as allOf. */
function valueSchemas(schema: Place): Place[] {
  const { allOf, oneOf, anyOf, not } = schema.object;
  if ((allOf ?? oneOf ?? anyOf ?? not) === undefined) return [];
  const lists = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => schema.field(name).items());
  return [...lists, schema.field('not')].filter(({ value }) => isJsonObject(value));
}

/** Checks the keywords of one schema. */
function checkKeywords(schema: Place): void {
  const { type = '' } = schema.object as JsonSchema;
  if (schema.object.uniqueItems === true) {
    schema
      .field('uniqueItems')
      .forbidden('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  const { additionalProperties } = schema.object;
  if (additionalProperties !== undefined && additionalProperties !== true && !schema.field('properties').isEmpty) {
    schema.field('additionalProperties').forbidden('additionalProperties and properties are mutual exclusive');
  }
  if (schema.object['x-kubernetes-preserve-unknown-fields'] === false) {
    schema.field('x-kubernetes-preserve-unknown-fields').invalid('must be true or undefined');
  }
  checkListKeywords(schema, type);
  if (type === 'null') {
    schema.field('type').forbidden('type cannot be set to null, use nullable as an alternative');
  } else if (type !== '' && !TYPES.includes(type)) schema.field('type').unsupported(TYPES);
  for (const name of NOT_SUPPORTED)
    if (schema.has(name) && (name !== 'id' || schema.object.id !== ''))
      schema.field(name).forbidden(`${name} is not supported`);
  if (schema.object.$schema) schema.invalid("OpenAPIV3Schema 'schema' is not supported");
  if (Array.isArray(schema.object.items)) {
    schema.field('items').forbidden('items must be a schema object and not an array');
  }
}

function checkListKeywords(schema: Place, type: string): void {
  if (!LIST_KEYWORDS.some((keyword) => schema.has(keyword))) return;
  const map = schema.field('x-kubernetes-map-type');
  if (map.value !== undefined) {
    onlyFor(schema, type, 'object', 'x-kubernetes-map-type');
    if (map.value !== 'atomic' && map.value !== 'granular') map.unsupported(['atomic', 'granular']);
  }
  const list = schema.field('x-kubernetes-list-type');
  const keys = schema.field('x-kubernetes-list-map-keys');
  const items = schema.field('items');
  if (list.value !== undefined) {
    onlyFor(schema, type, 'array', 'x-kubernetes-list-type');
    if (type === 'array' && list.value === 'set') checkSetItems(items);
    if (!['atomic', 'set', 'map'].includes(list.text)) list.unsupported(['atomic', 'set', 'map']);
  }
  if (!keys.isEmpty && list.value !== 'map') {
    if (list.value === undefined) list.required('must be map if x-kubernetes-list-map-keys is non-empty');
    else list.invalid('must be map if x-kubernetes-list-map-keys is non-empty');
  }
  if (list.value === 'map') checkMapItems(schema, keys, items);
  if ((list.value === 'map' || list.value === 'set') && items.object.nullable === true) {
    items.field('nullable').forbidden(`cannot be nullable when x-kubernetes-list-type is ${list.value}`);
  }
}

const LIST_KEYWORDS = ['x-kubernetes-list-type', 'x-kubernetes-map-type', 'x-kubernetes-list-map-keys'];

function onlyFor(schema: Place, type: string, wanted: string, keyword: string): void {
  if (type === wanted) return;
  const detail = `must be ${wanted} if ${keyword} is specified`;
  if (type === '') schema.field('type').required(detail);
  else schema.field('type').invalid(detail);
}

function checkSetItems(items: Place): void {
  const type = items.object.type;
  const list = items.field('x-kubernetes-list-type');
  const map = items.field('x-kubernetes-map-type');
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (type === 'array' && list.value !== undefined && list.value !== 'atomic') list.invalid(detail);
  if (type === 'object' && map.value !== 'atomic') map.invalid(detail, list.value ?? null);
}

function checkMapItems(schema: Place, keys: Place, items: Place): void {
  if (keys.isEmpty) keys.required('must not be empty if x-kubernetes-list-type is map');
  if (items.value === undefined) {
    items.required('must have a schema if x-kubernetes-list-type is map');
    return;
  }
  if (items.object.type !== 'object') {
    items.field('type').invalid("must be object if parent array's x-kubernetes-list-type is map");
    return;
  }
  const names = keys.list as readonly string[];
  const required = new Set(items.field('required').list);
  for (const name of names) {
    const value = items.field('properties').object[name];
    const property = schema.as(`items.properties[${name}]`, value ?? {});
    if (value === undefined) keys.invalid('entries must all be names of item properties');
    else if (property.object.type === 'array' || property.object.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      property.field('type').invalid(detail, items.object.type);
    }
  }
  if (new Set(names).size < names.length) keys.invalid('must not contain duplicate entries');
  for (const name of names) {
    const value = items.field('properties').object[name];
    if (value === undefined) continue;
    const property = schema.as(`items.properties[${name}]`, value);
    const place = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!required.has(name) && !property.has('default')) {
      property.field('default').required(`${place} must have a default or be a required property`);
    }
    if (property.object.nullable === true) property.field('nullable').forbidden(`${place} cannot be nullable`);
  }
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

/** Each field must have its type, once, in the structural part. */
function checkStructure(schema: Place, level: Level): void {
  const { object } = schema;
  const type = schema.field('type');
  const hasExtension = (name: string): boolean => object[`x-kubernetes-${name}`] === true;
  const embedded = hasExtension('embedded-resource');
  const intOrString = hasExtension('int-or-string');
  const preservesUnknown = hasExtension('preserve-unknown-fields');
  if (type.value === 'array' && object.items === undefined) schema.field('items').required('must be specified');
  for (const property of properties(schema)) checkStructure(property, 'field');
  const additional = schema.field('additionalProperties');
  if (additional.value !== undefined && level === 'root') additional.forbidden('must not be used at the root');
  if (isJsonObject(additional.value)) checkStructure(additional, 'field');
  if (isJsonObject(object.items)) checkStructure(schema.field('items'), 'item');
  if (embedded && type.value !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    if (type.isEmpty) type.required(detail);
    else type.invalid(detail);
  } else if (type.isEmpty && (level === 'root' || !(intOrString || preservesUnknown))) type.required(EMPTY_TYPE[level]);
  if (embedded && additional.value !== undefined) {
    additional.forbidden('must not be used if x-kubernetes-embedded-resource is set');
  }
  if (level === 'root' && !type.isEmpty && type.value !== 'object') type.invalid('must be object at the root');
  if (level === 'root' || embedded) checkIdentityFields(schema, level);
  if (embedded && !preservesUnknown && schema.field('properties').isEmpty) {
    schema
      .field('properties')
      .required(
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      );
  }
  const exclusive = 'must be false if x-kubernetes-int-or-string is true';
  if (intOrString && preservesUnknown) schema.field('x-kubernetes-preserve-unknown-fields').invalid(exclusive);
  if (intOrString && embedded) schema.field('x-kubernetes-embedded-resource').invalid(exclusive);
  checkPattern(schema);
  const isIntOrString = intOrString && type.isEmpty;
  for (const place of valueSchemas(schema)) checkNested(place, isIntOrString);
  checkDefault(schema);
}

function checkPattern(schema: Place): void {
  if (!schema.has('pattern')) return;
  const place = schema.field('pattern');
  const problem = place.isEmpty ? undefined : patternProblem(place.text);
  if (problem !== undefined) place.invalid(`must be a valid regular expression, but isn't: ${problem}`);
}

/** The schema of apiVersion, kind and metadata may only have a few keywords. */
function checkIdentityFields(schema: Place, level: Level): void {
  const fields = schema.field('properties').object;
  for (const name of ['kind', 'apiVersion']) {
    const field = schema.as(`properties[${name}]`, fields[name]);
    if (field.value !== undefined && field.object.type !== 'string') field.field('type').invalid('must be string');
  }
  const metadata = schema.as('properties[metadata]', fields.metadata);
  if (metadata.value === undefined) return;
  if (metadata.object.type !== 'object') metadata.field('type').invalid('must be object');
  if (level !== 'root') return;
  const { type, description, properties: known = {}, ...rest } = metadata.object;
  const isNamed = Object.keys(known as JsonObject).every((name) => name === 'name' || name === 'generateName');
  if (isNamed && Object.keys(rest).length === 0) return;
  metadata.forbidden(
    'must not specify anything other than name and generateName, but metadata is implicitly specified',
  );
}

const NESTED: ReadonlyArray<readonly [keyword: string, detail: string]> = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
];

/** Alternatives must not define structure, except for the two types of int-or-string. */
function checkNested(schema: Place, isIntOrString: boolean): void {
  const type = schema.object.type;
  const isOneOfBoth = isIntOrString && (type === 'integer' || type === 'string');
  for (const [keyword, detail] of NESTED) {
    if (!schema.field(keyword).isEmpty && !(keyword === 'type' && isOneOfBoth)) schema.field(keyword).forbidden(detail);
  }
  checkPattern(schema);
  for (const place of innerSchemas(schema)) checkNested(place, false);
  for (const place of valueSchemas(schema)) checkNested(place, isIntOrString);
  if (Object.hasOwn(schema.field('properties').object, 'metadata')) {
    schema.as('properties[metadata]', {}).forbidden('must not be specified in a nested context');
  }
}

function checkDefault(schema: Place): void {
  if (!schema.has('default')) return;
  const place = schema.field('default');
  const own = schema.object as JsonSchema;
  const holder: JsonObject = { value: place.value as Json };
  const { surplus } = clean({ type: 'object', exact: true, fields: { value: schemaOf(own) } }, holder, '');
  if (surplus.length > 0) {
    place.invalid('must not have unknown fields');
    return;
  }
  for (const { field, type, message } of new ValueRules(own).errors(place.value as JsonObject)) {
    place.add(fieldError(field === '<nil>' ? place.path : `${place.path}.${field}`, type, message));
  }
}
