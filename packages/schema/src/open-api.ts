import type { Json, JsonObject } from './json/json.ts';
import type { Schema } from './schema.ts';

export interface OpenApiOptions {
  /** where a named type stands in the document, when it has a place of its own there; it is called for each that is met */
  readonly referTo?: (schema: Schema & { reference?: string }) => string | undefined;
  /** version 2 puts a reference beside what is said of it, version 3 into allOf; 3 knows oneOf */
  readonly version: 2 | 3;
}

/** The schema in OpenAPI's words, for kubectl explain and clients that validate. */
export function openApiSchema(schema: Schema, options: OpenApiOptions): JsonObject {
  const reference = 'reference' in schema && schema.reference !== undefined ? options.referTo?.(schema) : undefined;
  const said: JsonObject = {};
  // version 2 is read by clients that would send the defaults back
  if (schema.default !== undefined && options.version === 3) said.default = schema.default as Json;
  if (schema.enum !== undefined) said.enum = [...schema.enum];
  if (schema.patch !== undefined) {
    if (schema.patch.mergeKey !== undefined) said['x-kubernetes-patch-merge-key'] = schema.patch.mergeKey;
    said['x-kubernetes-patch-strategy'] = schema.patch.strategies.join(',');
  }
  if (reference === undefined) return { ...openApiShape(schema, options), ...said };
  const $ref = { $ref: reference };
  if (options.version === 2) return { ...$ref, ...said };
  return Object.keys(said).length === 0 ? $ref : { allOf: [$ref], ...said };
}

/** What a schema is, without what its field says. A reference of its own is not followed: this is what it refers to. */
export function openApiShape(schema: Schema, options: OpenApiOptions): JsonObject {
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
        items: openApiSchema(schema.items, options),
        ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
        ...(schema.keys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...schema.keys] }),
      };
    case 'object': {
      if (schema.published !== undefined) return schema.published(options);
      const names = Object.keys(schema.fields);
      const properties: JsonObject = {};
      for (const name of names) properties[name] = openApiSchema(schema.fields[name] as Schema, options);
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
