import { Duration, Timestamp } from './time.ts';
import { ListValue, MapValue, Optional, TypeValue, Uint, type Value } from './value.ts';

/** The name of the run-time type of a value. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(value: Value & object): string {
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof TypeValue ? 'type' : value.type.name;
}
