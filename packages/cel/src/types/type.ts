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
  /** objects, opaque types and type parameters have names of their own; other types that of their kind */
  readonly name: string;
  readonly params: readonly Type[];
  /** the shape of an object */
  readonly shape?: Shape;
}

/**
 * The schema of a value: its type, and its largest size. A list of strings is
 * `{ type: list(string), maxElements: 10, item: { type: string, maxElements: 40 } }`.
 */
export interface Shape {
  readonly type: Type;
  /** the length of a string, the number of items of a list or map */
  readonly maxElements: number;
  /** the bytes of the smallest such value as JSON */
  readonly minSize: number;
  /** in lists and maps */
  readonly item?: Shape;
  readonly key?: Shape;
  /** in lists of unique items: the fields that make an item unique, as expressions name them, or the whole items */
  readonly distinct?: 'items' | readonly string[];
  /** in objects, by the names that expressions use */
  readonly fields?: ReadonlyMap<string, ShapeField>;
  /** in objects, the names of fields in the data */
  readonly names?: ReadonlySet<string>;
}

export interface ShapeField {
  /** its name in the data */
  readonly name: string;
  readonly shape: Shape;
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

/** The type in an optional; any other type itself. */
export function unwrapped(type: Type): Type {
  return isOptionalType(type) ? (type.params[0] as Type) : type;
}

const WORDS: Partial<Record<TypeKind, string>> = {
  duration: 'duration',
  null: 'null',
  timestamp: 'timestamp',
};

/** The name of a type in messages. */
export function typeText(type: Type): string {
  const word = WORDS[type.kind] ?? type.name;
  return type.params.length === 0 ? word : `${word}(${type.params.map(typeText).join(', ')})`;
}
