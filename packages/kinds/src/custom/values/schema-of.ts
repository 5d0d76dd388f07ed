import type { Json, JsonObject, OpenApiOptions, Schema } from '@tidegate/schema';
import { metaSchemas } from '../../objects/meta-schemas.ts';
import type { JsonSchema } from './json-schema.ts';

type ObjectSchema = Schema & { type: 'object' };

/** Any JSON; each field has its own owners. */
const FREE: Schema = { type: 'any', deduced: true, exact: true, nullable: true };
const TEXT: Schema = { type: 'string' };

interface Root {
  readonly name: string;
  readonly reference: string;
}

/** The schema of a custom kind. Every object has a kind, an apiVersion and metadata. */
export function objectSchemaOf(schema: JsonSchema, { name, reference }: Root): ObjectSchema {
  const { fields, rest } = structure(schema);
  return {
    type: 'object',
    exact: true,
    name,
    reference,
    fields: { ...fields, ...identity() },
    ...(rest === undefined ? {} : { rest }),
    published: (options) => publishedObject(schema, options),
  };
}

function identity(): Record<string, Schema> {
  return { apiVersion: TEXT, kind: TEXT, metadata: metaSchemas.objectMeta };
}

function structure(schema: JsonSchema): { fields: Record<string, Schema>; rest: Schema | undefined } {
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, schemaOf(one)] as const);
  const rest = schema['x-kubernetes-preserve-unknown-fields'] ? FREE : undefined;
  const embedded = schema['x-kubernetes-embedded-resource'] ? identity() : {};
  return { fields: { ...Object.fromEntries(fields), ...embedded }, rest };
}

/** The schema of a value. */
export function schemaOf(schema: JsonSchema): Schema {
  const facts = {
    exact: true,
    ...(schema.nullable ? { nullable: true } : {}),
    ...(schema.default === undefined ? {} : { default: schema.default }),
  };
  if (schema['x-kubernetes-int-or-string']) return { type: 'intOrString', ...facts };
  switch (schema.type) {
    case 'object':
      return { ...facts, ...objectShape(schema) };
    case 'array': {
      const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys } = schema;
      const items = schema.items === undefined ? FREE : schemaOf(schema.items);
      const kind = listType === 'set' || listType === 'map' ? { listType } : {};
      return { type: 'list', items, ...facts, ...kind, ...(keys === undefined ? {} : { keys }) } as Schema;
    }
    case 'string':
      return { type: schema.format === 'byte' ? 'bytes' : 'string', ...facts };
    case 'boolean':
      return { type: 'bool', ...facts };
    case 'integer':
      return { type: schema.format === 'int32' ? 'int32' : 'int64', ...facts };
    case 'number':
      return { type: 'double', ...facts };
    default:
      return schema.properties === undefined
        ? { ...FREE, ...facts, nullable: true }
        : { ...facts, ...objectShape(schema) };
  }
}

function objectShape(schema: JsonSchema): Schema {
  const atomic = schema['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {};
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== false && schema.properties === undefined) {
    return { type: 'map', values: additionalProperties === true ? FREE : schemaOf(additionalProperties), ...atomic };
  }
  const { fields, rest } = structure(schema);
  return { type: 'object', fields, ...(rest === undefined ? {} : { rest }), ...atomic };
}

function publishedObject(schema: JsonSchema, options: OpenApiOptions): JsonObject {
  // older clients would reject fields that are not listed
  if (options.version === 2 && schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
  const made = published(schema, options);
  return { type: 'object', ...made, properties: { ...((made.properties ?? {}) as JsonObject), ...known(options) } };
}

function known({ referTo, version, descriptions }: OpenApiOptions): JsonObject {
  const { objectMeta } = metaSchemas;
  const $ref = referTo?.(objectMeta.reference ?? '', objectMeta);
  const described = (name: 'apiVersion' | 'kind' | 'metadata'): JsonObject =>
    descriptions === undefined ? {} : { description: descriptions[name] };
  // version 3 ignores keywords next to a reference
  const meta: JsonObject = $ref === undefined ? { type: 'object' } : { $ref };
  return {
    apiVersion: { ...described('apiVersion'), type: 'string' },
    kind: { ...described('kind'), type: 'string' },
    metadata:
      version === 3 && descriptions !== undefined && $ref !== undefined
        ? { ...described('metadata'), allOf: [meta] }
        : { ...described('metadata'), ...meta },
  };
}

/** Keywords that OpenAPI v2 does not have. */
const NOT_IN_V2 = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default']);

function published(schema: JsonSchema, options: OpenApiOptions): JsonObject {
  const made: JsonObject = {};
  for (const [name, value] of Object.entries(schema as JsonObject)) {
    if (options.version === 2 && (NOT_IN_V2.has(name) || isLeftOut(schema, name))) continue;
    const inner = publishedKeyword(name, value, options);
    if (inner !== undefined) made[name] = inner;
  }
  if (schema['x-kubernetes-int-or-string'] && options.version === 3 && made.anyOf === undefined && !made.allOf) {
    made.anyOf = [{ type: 'integer' }, { type: 'string' }];
  }
  if (schema['x-kubernetes-embedded-resource'] && (options.version === 3 || made.properties !== undefined)) {
    made.properties = { ...((made.properties ?? {}) as JsonObject), ...known(options) };
    const required = Array.isArray(made.required) ? made.required : [];
    made.required = [...new Set([...required, 'kind', 'apiVersion'])];
  }
  return made;
}

/** The value of one keyword; undefined for a zero value, which the types of Kubernetes leave out. */
function publishedKeyword(name: string, value: Json, options: OpenApiOptions): Json | undefined {
  const inner = (one: Json): JsonObject => published(one as unknown as JsonSchema, options);
  if (value === null || name.startsWith('x-') || name === 'default') return value ?? undefined;
  switch (name) {
    case 'items':
    case 'not':
      return inner(value);
    case 'additionalProperties':
      return typeof value === 'object' ? inner(value) : value;
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) && value.length > 0 ? value.map(inner) : undefined;
    case 'properties': {
      const properties = mapped(value as unknown as Properties, options);
      return Object.keys(properties).length === 0 ? undefined : properties;
    }
    default: {
      const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
      return isEmpty || value === '' || value === false ? undefined : value;
    }
  }
}

type Properties = Readonly<Record<string, JsonSchema>>;

function mapped(properties: Properties, options: OpenApiOptions): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, published(one, options)]));
}

/** OpenAPI v2 has no null, and older clients reject fields that an object does not list. */
function isLeftOut(schema: JsonSchema, name: string): boolean {
  if (schema.nullable && (name === 'type' || name === 'properties' || name === 'items')) return true;
  if (schema['x-kubernetes-int-or-string'] && name === 'type') return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true && (name === 'properties' || name === 'items');
}
