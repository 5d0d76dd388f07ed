import { badRequest, unsupportedMediaType } from '@tidegate/status';
import { decodeJson } from '../json/decode.ts';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../json/json.ts';
import type { Schema } from '../schema.ts';
import { BodyReader, fieldNumberOf, wireTypeOf } from './body-reader.ts';
import { PROTOBUF_PREFIX } from './envelope.ts';
import type { MessageScalar } from './scalars.ts';
import { durationText, timeText } from './texts.ts';

export function hasProtobufPrefix(body: Uint8Array): boolean {
  return body.length >= 4 && PROTOBUF_PREFIX.every((byte, i) => body[i] === byte);
}

/**
 * Decodes an envelope and the object in it by the field numbers of the kind's schema. Unknown numbers are skipped.
 *
 * The functions for a type are built once, at its first use. A recursive type finds its own functions.
 */
export function decodeProtobuf(schema: Schema, body: Uint8Array): JsonObject {
  if (!hasProtobufPrefix(body))
    throw badRequest('the body is not Kubernetes Protobuf: it must begin with the bytes 6b 38 73 00');
  try {
    return decodeEnvelope(schema, new BodyReader(body, PROTOBUF_PREFIX.length));
  } catch (error) {
    if (error instanceof Error && error.name === 'ApiError') throw error;
    throw badRequest(`couldn't parse the body of the request as Protobuf: ${(error as Error).message}`, error);
  }
}

/** Decodes the message Unknown. Its content type is after the object, so the object is decoded last. */
function decodeEnvelope(schema: Schema, reader: BodyReader): JsonObject {
  let raw: Buffer = Buffer.alloc(0);
  const envelope: JsonObject = {};
  while (!reader.isAtEnd) {
    const tag = reader.tag();
    if (fieldNumberOf(tag) === RAW) raw = reader.bytes(wireTypeOf(tag));
    else readField(ENVELOPE, reader, tag, envelope);
  }
  const { typeMeta, contentEncoding, contentType } = envelope;
  if (contentEncoding || (contentType && contentType !== 'application/json')) {
    throw unsupportedMediaType(['application/vnd.cluster.protobuf', 'application/vnd.kubernetes.protobuf']);
  }
  const object = contentType ? jsonInside(raw) : readMessage(messageOf(fieldsOf(schema)), new BodyReader(raw));
  const { apiVersion, kind } = (typeMeta ?? {}) as JsonObject;
  if (apiVersion) object.apiVersion = apiVersion;
  if (kind) object.kind = kind;
  return object;
}

function jsonInside(raw: Buffer): JsonObject {
  const { value } = decodeJson(raw);
  if (!isJsonObject(value)) throw new Error('the JSON in it is not an object');
  return value;
}

/** Reads the value of one type. */
type ReadValue = (reader: BodyReader, wireType: number) => Json;
/** Reads one field into an object. */
type ReadField = (reader: BodyReader, wireType: number, object: JsonObject) => void;
/** by field number */
type Message = ReadonlyMap<number, ReadField>;

type Fields = Readonly<Record<string, Schema>>;
/** by the record of fields, which all references to a type share */
const messages = new WeakMap<Fields, Message>();

function messageOf(fields: Fields): Message {
  let message = messages.get(fields);
  if (message === undefined) {
    message = levelOf(Object.entries(fields), 0);
    messages.set(fields, message);
  }
  return message;
}

function fieldsOf(schema: Schema): Fields {
  return schema.type === 'object' ? schema.fields : {};
}

/** The fields of one level. Messages that exist in Protobuf only are levels of their own. */
function levelOf(entries: ReadonlyArray<[name: string, field: Schema]>, depth: number): Message {
  const level = new Map<number, ReadField>();
  const inner = new Map<number, Array<[name: string, field: Schema]>>();
  for (const entry of entries) {
    const [name, field] = entry;
    const outer = field.within?.[depth];
    if (outer !== undefined) {
      const there = inner.get(outer);
      if (there === undefined) inner.set(outer, [entry]);
      else there.push(entry);
    } else if (field.number !== undefined) level.set(field.number, fieldReader(name, field));
  }
  for (const [number, within] of inner) {
    const message = levelOf(within, depth + 1);
    level.set(number, (reader, wireType, object) => readFields(message, reader, wireType, object));
  }
  return level;
}

/** Reads a message that has a length. */
function readFields(message: Message, reader: BodyReader, wireType: number, object: JsonObject): void {
  const outer = reader.enter(wireType);
  while (!reader.isAtEnd) readField(message, reader, reader.tag(), object);
  reader.leave(outer);
}

/** Reads a message that ends where the reader ends. */
function readMessage(message: Message, reader: BodyReader): JsonObject {
  const object: JsonObject = {};
  while (!reader.isAtEnd) readField(message, reader, reader.tag(), object);
  return object;
}

function readField(message: Message, reader: BodyReader, tag: number, object: JsonObject): void {
  const read = message.get(fieldNumberOf(tag));
  if (read === undefined) {
    reader.skip(wireTypeOf(tag));
    return;
  }
  reader.countValue();
  read(reader, wireTypeOf(tag), object);
}

function fieldReader(name: string, field: Schema): ReadField {
  if (field.type === 'list' && !field.wrapped) return listReader(name, valueReader(field.items));
  if (field.type === 'map') return mapReader(name, field.values);
  const read = valueReader(field);
  const keepsZero = field.tracksPresence === true || field.required === true;
  return (reader, wireType, object) => {
    const value = read(reader, wireType);
    // Go writes every text, number and boolean, including zeros
    const isZero = value === '' || value === 0 || value === false;
    if (value !== null && (keepsZero || !isZero)) object[name] = value;
    else if (object[name] !== undefined) delete object[name];
  };
}

function listReader(name: string, read: ReadValue): ReadField {
  return (reader, wireType, object) => {
    const list = object[name] as Json[] | undefined;
    const value = read(reader, wireType);
    if (list === undefined) object[name] = [value];
    else list.push(value);
  };
}

/** Go leaves out an empty key or value. */
function mapReader(name: string, values: Schema): ReadField {
  const read = valueReader(values);
  return (reader, wireType, object) => {
    reader.countEntry();
    const outer = reader.enter(wireType);
    let key = '';
    let value: Json = '';
    while (!reader.isAtEnd) {
      const tag = reader.tag();
      const number = fieldNumberOf(tag);
      if (number === 1) key = reader.text(wireTypeOf(tag));
      else if (number === 2) value = read(reader, wireTypeOf(tag));
      else reader.skip(wireTypeOf(tag));
    }
    reader.leave(outer);
    object[name] ??= {};
    setOwn(object[name] as JsonObject, key, value);
  };
}

function valueReader(schema: Schema): ReadValue {
  switch (schema.type) {
    case 'string':
      return (reader, wireType) => reader.text(wireType);
    case 'bytes':
      return (reader, wireType) => reader.bytes(wireType).toString('base64');
    case 'bool':
      return (reader, wireType) => Number(reader.whole(wireType)) !== 0;
    case 'int32':
    case 'int64':
      return (reader, wireType) => reader.whole(wireType);
    case 'double':
      return (reader, wireType) => reader.double(wireType);
    case 'object':
      return objectReader(schema);
    case 'list': {
      const list = objectReader({
        type: 'object',
        fields: { items: { type: 'list', items: schema.items, number: 1 } },
      });
      return (reader, wireType) => list(reader, wireType).items ?? [];
    }
    case 'union':
      return unionReader(schema);
    case 'map':
    case 'any':
      return () => {
        throw new Error(`a value of type ${schema.type} has no encoding of its own`);
      };
    default:
      return READ_SCALAR[schema.type];
  }
}

function objectReader(schema: Schema & { type: 'object' }): (reader: BodyReader, wireType: number) => JsonObject {
  let message: Message | undefined;
  return (reader, wireType) => {
    message ??= messageOf(schema.fields);
    const object: JsonObject = {};
    readFields(message, reader, wireType, object);
    return object;
  };
}

/** The last member in the message: in `allows, schema` the first only accompanies the second. */
function unionReader({ members }: Schema & { type: 'union' }): ReadValue {
  const fields = Object.fromEntries(members.map((member) => [`member${member.number}`, member]));
  const read = objectReader({ type: 'object', fields });
  return (reader, wireType) => Object.values(read(reader, wireType)).at(-1) ?? null;
}

const number = (n: number) => ({ type: 'int64', number: n, tracksPresence: true }) as const;
const time = objectReader({ type: 'object', fields: { seconds: number(1), nanos: number(2) } });
const duration = objectReader({ type: 'object', fields: { nanoseconds: number(1) } });
const quantity = objectReader({ type: 'object', fields: { text: { type: 'string', number: 1 } } });
const intOrString = objectReader({
  type: 'object',
  fields: { type: number(1), whole: number(2), text: { type: 'string', number: 3 } },
});

/** The scalars that are messages in Protobuf. */
const READ_SCALAR: Readonly<Record<MessageScalar, ReadValue>> = {
  time: (reader, wireType) => timeText(time(reader, wireType), 0),
  microTime: (reader, wireType) => timeText(time(reader, wireType), 6),
  duration: (reader, wireType) => durationText(duration(reader, wireType).nanoseconds ?? 0),
  quantity: (reader, wireType) => quantity(reader, wireType).text ?? '0',
  intOrString: (reader, wireType) => {
    const { type, whole = 0, text = '' } = intOrString(reader, wireType);
    return type === 1 ? text : whole;
  },
  raw: (reader, wireType) => {
    const outer = reader.enter(wireType);
    let json: Buffer | undefined;
    while (!reader.isAtEnd) {
      const tag = reader.tag();
      if (fieldNumberOf(tag) === 1) json = reader.bytes(wireTypeOf(tag));
      else reader.skip(wireTypeOf(tag));
    }
    reader.leave(outer);
    return json === undefined || json.length === 0 ? null : (decodeJson(json).value as Json);
  },
};

const ENVELOPE = messageOf({
  typeMeta: {
    type: 'object',
    number: 1,
    fields: { apiVersion: { type: 'string', number: 1 }, kind: { type: 'string', number: 2 } },
  },
  contentEncoding: { type: 'string', number: 3 },
  contentType: { type: 'string', number: 4 },
});
/** the number of the object in the envelope */
const RAW = 2;
