import type { JsonObject } from './json.ts';
import type { Schema } from './schema.ts';

/** The schema in OpenAPI's words, for kubectl explain and clients that validate. */
export function openApiSchema(schema: Schema): JsonObject {
  switch (schema.type) {
    case 'string':
      return { type: 'string' };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: schema.type };
    case 'any':
      return {};
    case 'map':
      return { type: 'object', additionalProperties: openApiSchema(schema.values) };
    case 'list':
      return {
        type: 'array',
        items: openApiSchema(schema.items),
        ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
        ...(schema.keys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...schema.keys] }),
        ...(schema.listType === 'map'
          ? { 'x-kubernetes-patch-merge-key': schema.keys?.[0] ?? '', 'x-kubernetes-patch-strategy': 'merge' }
          : {}),
        ...(schema.listType === 'set' ? { 'x-kubernetes-patch-strategy': 'merge' } : {}),
      };
    case 'object': {
      const properties: JsonObject = {};
      for (const [name, field] of Object.entries(schema.fields)) properties[name] = openApiSchema(field);
      const required = Object.keys(schema.fields).filter((name) => schema.fields[name]?.required);
      return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
    }
  }
}
