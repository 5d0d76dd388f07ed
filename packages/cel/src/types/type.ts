import type { Shape } from './shape.ts';

export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'object'
  | 'opaque'
  | 'param'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** The static type of an expression. */
export interface Type {
  readonly kind: TypeKind;
  /** of objects, opaque types and type parameters their own; otherwise that of the kind */
  readonly name: string;
  readonly params: readonly Type[];
  /** what an object consists of */
  readonly shape?: Shape;
}

const simple = (kind: TypeKind, name: string = kind): Type => ({ kind, name, params: [] });

export const boolType = simple('bool');
export const bytesType = simple('bytes');
export const doubleType = simple('double');
export const durationType = simple('duration', 'google.protobuf.Duration');
export const dynType = simple('dyn');
export const errorType = simple('error', '!error!');
export const intType = simple('int');
export const nullType = simple('null', 'null_type');
export const stringType = simple('string');
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp');
export const uintType = simple('uint');

export const listType = (item: Type): Type => ({ kind: 'list', name: 'list', params: [item] });
export const mapType = (key: Type, value: Type): Type => ({ kind: 'map', name: 'map', params: [key, value] });
export const typeType = (of?: Type): Type => ({ kind: 'type', name: 'type', params: of === undefined ? [] : [of] });
export const paramType = (name: string): Type => ({ kind: 'param', name, params: [] });
export const opaqueType = (name: string, ...params: Type[]): Type => ({ kind: 'opaque', name, params });
export const objectType = (name: string, shape: Shape): Type => ({ kind: 'object', name, params: [], shape });

const OPTIONAL = 'optional_type';
export const optionalType = (of: Type): Type => opaqueType(OPTIONAL, of);

export function isOptionalType(type: Type): boolean {
  return type.kind === 'opaque' && type.name === OPTIONAL;
}

/** What an optional holds; of any other type itself. */
export function unwrapped(type: Type): Type {
  return isOptionalType(type) ? (type.params[0] as Type) : type;
}

export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isSameType(param, b.params[i] as Type));
}

const WORDS: Partial<Record<TypeKind, string>> = {
  duration: 'duration',
  null: 'null',
  timestamp: 'timestamp',
};

/** As messages name it. */
export function typeText(type: Type): string {
  const word = WORDS[type.kind] ?? type.name;
  return type.params.length === 0 ? word : `${word}(${type.params.map(typeText).join(', ')})`;
}
