import type { GoFacts } from './go-facts.ts';
import { type PublishedSchema, referenceOf } from './open-api-facts.ts';
import { type ProtobufFacts, type ProtobufField, placeOf } from './protobuf-facts.ts';

/** The facts of a type: a text for each field. packages/kinds/README.md has the grammar. */
export type TypeFacts = Record<string, string>;

export interface Descriptors {
  readonly published: ReadonlyMap<string, PublishedSchema>;
  readonly protobuf: ProtobufFacts;
  readonly go: GoFacts;
}

/** Types that are one JSON value, without fields. */
const SCALARS: Readonly<Record<string, string>> = {
  'resource/Quantity': 'quantity',
  'intstr/IntOrString': 'intOrString',
  'meta.v1/Time': 'time',
  'meta.v1/MicroTime': 'microTime',
  'meta.v1/FieldsV1': 'raw',
  'runtime/RawExtension': 'raw',
  'apiextensions.v1/JSON': 'raw',
};

/** `io.k8s.api.core.v1.PodSpec` is `core.v1/PodSpec`. */
export function typeName(published: string): string {
  const dot = published.lastIndexOf('.');
  const place = placeOf(published.slice(0, dot));
  const short = place.match(/\.(v\d\w*)$/) === null ? (place.split('.').at(-1) ?? '') : place;
  return `${short}/${published.slice(dot + 1)}`;
}

/** The facts of one published type. `meets` is called for each type that it refers to. */
export function typeFacts(published: string, descriptors: Descriptors, meets: (published: string) => void): TypeFacts {
  const name = typeName(published);
  const schema = descriptors.published.get(published);
  if (schema === undefined) throw new Error(`${published} is referred to but not published`);
  if (schema.properties === undefined && schema.type === undefined) return unionFacts(name, descriptors);
  const facts: TypeFacts = {};
  if (schema['x-kubernetes-map-type'] === 'atomic') facts[''] = 'atomic';
  const numbers = numbersOf(name, schema, descriptors.protobuf);
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    const number = numbers.get(plain(field));
    if (number === undefined && field !== 'apiVersion' && field !== 'kind')
      throw new Error(`${name}.${field} has no number`);
    const type = shapeText(property, { home: name, protobuf: number?.field, meets });
    const required = schema.required?.includes(field) ?? false;
    const pointer = number !== undefined && isScalar(type) && descriptors.go.pointers.has(`${number.owner}.${field}`);
    facts[field] = [
      number?.path ?? '-',
      type,
      ...flags(property, {
        required,
        pointer,
        values: descriptors.go.enums.get(`${name}.${field}`),
      }),
      ...(isWritten(property, pointer || !descriptors.go.omitted.has(`${number?.owner ?? name}.${field}`))
        ? defaultText(property, type)
        : []),
      ...(isWrittenAsNull(type, descriptors.go, `${number?.owner}.${field}`) ? ['= null'] : []),
    ].join(' ');
  }
  return facts;
}

/** A JSON value of one of several types. The members are the fields of the Protobuf message. */
function unionFacts(name: string, { protobuf }: Descriptors): TypeFacts {
  const facts: TypeFacts = { '': 'union' };
  for (const { name: member, number, type, repeated } of protobuf.get(name) ?? []) {
    facts[member] = `${number} ${repeated ? '[]' : ''}${localName(type, name)}`;
  }
  return facts;
}

interface Numbered {
  /** `4`, or `1.4` if JSON has no object for the message with number 1 */
  readonly path: string;
  readonly field: ProtobufField;
  /** the type whose Go struct has the field */
  readonly owner: string;
}

/**
 * Field numbers by normalized names. The fields of a message that has no object in JSON are included, because they are
 * directly in the JSON.
 */
function numbersOf(name: string, schema: PublishedSchema, protobuf: ProtobufFacts): Map<string, Numbered> {
  const names = new Set(Object.keys(schema.properties ?? {}).map(plain));
  const numbers = new Map<string, Numbered>();
  const collect = (owner: string, path: string): void => {
    for (const field of protobuf.get(owner) ?? []) {
      if (names.has(plain(field.name))) numbers.set(plain(field.name), { path: path + field.number, field, owner });
      else collect(field.type, `${path}${field.number}.`);
    }
  };
  collect(name, '');
  return numbers;
}

function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

interface Surroundings {
  home: string;
  protobuf: ProtobufField | undefined;
  meets: (published: string) => void;
}

function shapeText(schema: PublishedSchema, around: Surroundings): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    const scalar = SCALARS[typeName(reference)];
    if (scalar !== undefined) return scalar;
    around.meets(reference);
    return localName(typeName(reference), around.home);
  }
  switch (schema.type) {
    case 'array': {
      // a list that is a message in Protobuf
      const wrapped = around.protobuf !== undefined && !around.protobuf.repeated && around.protobuf.type.includes('/');
      return `${wrapped ? '[w]' : '[]'}${shapeText(schema.items ?? {}, { ...around, protobuf: undefined })}`;
    }
    case 'object': {
      const values = /^map<(.*)>$/.exec(around.protobuf?.type ?? '')?.[1];
      const protobuf = values === undefined ? undefined : { name: '', number: 2, repeated: false, type: values };
      return `{}${shapeText(schema.additionalProperties ?? {}, { ...around, protobuf })}`;
    }
    case 'string':
      return schema.format === 'byte' ? 'bytes' : 'string';
    case 'boolean':
      return 'bool';
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'double';
    default:
      throw new Error(`${around.home}: unknown shape: ${JSON.stringify(schema)}`);
  }
}

/** Types of the same group version are written without it. */
function localName(type: string, home: string): string {
  const place = home.slice(0, home.indexOf('/') + 1);
  return type.startsWith(place) ? type.slice(place.length) : type;
}

function isScalar(type: string): boolean {
  return /^[a-z]/.test(type) && !type.includes('/');
}

function flags(
  schema: PublishedSchema,
  { required, pointer, values }: { required: boolean; pointer: boolean; values: readonly string[] | undefined },
): string[] {
  const all: string[] = [];
  if (required) all.push('required');
  if (pointer) all.push('pointer');
  const keys = schema['x-kubernetes-list-map-keys'];
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== undefined) all.push(keys === undefined ? listType : `${listType}(${keys.join(',')})`);
  if (schema['x-kubernetes-map-type'] === 'atomic') all.push('atomic');
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== undefined) {
    const key = schema['x-kubernetes-patch-merge-key'];
    all.push(`patch:${strategy}${key === undefined ? '' : `(${key})`}`);
  }
  if (values !== undefined) all.push(`enum:${values.join('|')}`);
  return all;
}

/** Go writes an unset time as null, and also an empty list or map without omitempty. */
function isWrittenAsNull(type: string, { pointers, omitted, omittedStructs }: GoFacts, field: string): boolean {
  if (pointers.has(field)) return false;
  if (type === 'time' || type === 'microTime') return !omittedStructs.has(field);
  return /^(\[|\{)/.test(type) && !omitted.has(field);
}

/** Whether a default is written: a zero that would be left out anyway is not. */
function isWritten(schema: PublishedSchema, zeroIsShown: boolean): boolean {
  const zero = schema.default === 0 || schema.default === '' || schema.default === false;
  return !zero || zeroIsShown;
}

/** A default comes last, because it is JSON and may contain any text. */
function defaultText(schema: PublishedSchema, type: string): string[] {
  if (schema.default === undefined) return [];
  const empty = JSON.stringify(schema.default) === '{}';
  // the default `{}` of a scalar that is a struct in Go has no meaning in JSON
  if (empty && isScalar(type)) return [];
  return ['=', JSON.stringify(schema.default)];
}
