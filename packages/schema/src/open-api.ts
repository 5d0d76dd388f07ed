import type { Json, JsonObject } from './json/json.ts';
import type { OpenApiOptions, Schema } from './schema.ts';

/** The schema in OpenAPI, for kubectl explain and clients that validate. */
export function openApiSchema(schema: Schema, options: OpenApiOptions, field = ''): JsonObject {
  const name = nameOf(schema, field);
  const reference = name === undefined ? undefined : options.referTo?.(name, name === ANY_JSON ? ANY : schema);
  const keywords: JsonObject = {};
  // clients of version 2 would send defaults back; null is how Go writes an absent default
  if (schema.default !== undefined && schema.default !== null && options.version === 3)
    keywords.default = schema.default as Json;
  if (schema.enum !== undefined) keywords.enum = [...schema.enum];
  if (schema.patch !== undefined) {
    if (schema.patch.mergeKey !== undefined) keywords['x-kubernetes-patch-merge-key'] = schema.patch.mergeKey;
    keywords['x-kubernetes-patch-strategy'] = schema.patch.strategies.join(',');
  }
  if (reference === undefined) return { ...openApiShape(schema, options, field), ...keywords };
  const $ref = { $ref: reference };
  if (options.version === 2) return { ...$ref, ...keywords };
  return Object.keys(keywords).length === 0 ? $ref : { allOf: [$ref], ...keywords };
}

const MACHINERY = 'io.k8s.apimachinery.pkg';
const ANY: Schema = { type: 'any' };
const ANY_JSON = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON';

/** Scalars with a named type in Kubernetes. */
const NAMED: Readonly<Partial<Record<Schema['type'], string>>> = {
  quantity: `${MACHINERY}.api.resource.Quantity`,
  intOrString: `${MACHINERY}.util.intstr.IntOrString`,
  time: `${MACHINERY}.apis.meta.v1.Time`,
  microTime: `${MACHINERY}.apis.meta.v1.MicroTime`,
  raw: `${MACHINERY}.runtime.RawExtension`,
};

/** Fields with any JSON that have a named type. */
const NAMED_FIELDS: Readonly<Record<string, string>> = {
  fieldsV1: `${MACHINERY}.apis.meta.v1.FieldsV1`,
  default: ANY_JSON,
  enum: ANY_JSON,
  example: ANY_JSON,
};

function nameOf(schema: Schema, field: string): string | undefined {
  if ('reference' in schema && schema.reference !== undefined) return schema.reference;
  const known = NAMED[schema.type];
  return schema.type === 'raw' && Object.hasOwn(NAMED_FIELDS, field) ? NAMED_FIELDS[field] : known;
}

/** The OpenAPI form of a schema without the facts of its field. It never is a reference to the schema itself. */
export function openApiShape(schema: Schema, options: OpenApiOptions, field = ''): JsonObject {
  switch (schema.type) {
    case 'string':
    case 'duration':
      return { type: 'string' };
    case 'quantity':
      return options.version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'intOrString':
      return options.version === 2
        ? { type: 'string', format: 'int-or-string' }
        : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: schema.type };
    case 'double':
      return { type: 'number', format: 'double' };
    case 'raw':
      return { type: 'object' };
    case 'any':
    case 'union':
      return {};
    case 'map':
      return {
        type: 'object',
        additionalProperties: openApiSchema(schema.values, options),
        ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      };
    case 'list':
      return {
        type: 'array',
        items: openApiSchema(schema.items, options, field),
        ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
        ...(schema.keys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...schema.keys] }),
      };
    case 'object': {
      if (schema.published !== undefined) return schema.published(options);
      const names = Object.keys(schema.fields);
      const properties: JsonObject = {};
      for (const name of names) properties[name] = openApiSchema(schema.fields[name] as Schema, options, name);
      const required = names.filter((name) => schema.fields[name]?.required);
      return {
        type: 'object',
        ...(names.length === 0 ? {} : { properties }),
        ...(required.length === 0 ? {} : { required }),
        ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      };
    }
  }
}
