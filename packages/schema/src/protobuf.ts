import { badRequest, unsupportedMediaType } from '@tidegate/status';
import protobuf from 'protobufjs';
import { type Json, type JsonObject, setOwn } from './json.ts';
import type { Schema } from './schema.ts';

/** `k8s` and a zero byte: every Protobuf body begins so, and what follows is the message Unknown. */
const PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const MAX_DEPTH = 64;

export function hasProtobufPrefix(body: Uint8Array): boolean {
  return body.length >= 4 && PREFIX.every((byte, i) => body[i] === byte);
}

/** Reads an envelope and the object in it, by the numbers in the kind's schema. Fields without a number are skipped. */
export function decodeProtobuf(schema: Schema, body: Uint8Array): JsonObject {
  if (!hasProtobufPrefix(body))
    throw badRequest('the body is not Protobuf as this server knows it: it must begin with the bytes 6b 38 73 00');
  try {
    const envelope = decodeObject(ENVELOPE, body.subarray(4), 0);
    if (envelope.contentEncoding || (envelope.contentType && envelope.contentType !== 'application/json')) {
      throw unsupportedMediaType(['application/vnd.cluster.protobuf', 'application/vnd.kubernetes.protobuf']);
    }
    const raw = Buffer.from((envelope.raw as string | undefined) ?? '', 'base64');
    const object = envelope.contentType
      ? (JSON.parse(raw.toString('utf8')) as JsonObject)
      : decodeObject(schema, raw, 0);
    const { apiVersion, kind } = (envelope.typeMeta ?? {}) as JsonObject;
    if (apiVersion) object.apiVersion = apiVersion;
    if (kind) object.kind = kind;
    return object;
  } catch (error) {
    if (error instanceof Error && error.name === 'ApiError') throw error;
    throw badRequest(`couldn't parse the body of the request as Protobuf: ${(error as Error).message}`, error);
  }
}

const ENVELOPE: Schema = {
  type: 'object',
  fields: {
    typeMeta: {
      type: 'object',
      number: 1,
      fields: { apiVersion: { type: 'string', number: 1 }, kind: { type: 'string', number: 2 } },
    },
    raw: { type: 'bytes', number: 2 },
    contentEncoding: { type: 'string', number: 3 },
    contentType: { type: 'string', number: 4 },
  },
};

type Numbered = ReadonlyMap<number, readonly [name: string, field: Schema]>;
const byNumber = new WeakMap<Schema, Numbered>();

function fieldsOf(schema: Schema): Numbered {
  let fields = byNumber.get(schema);
  if (fields === undefined) {
    const entries = schema.type === 'object' ? Object.entries(schema.fields) : [];
    fields = new Map(
      entries.flatMap(([name, field]) => (field.number === undefined ? [] : [[field.number, [name, field]]])),
    );
    byNumber.set(schema, fields);
  }
  return fields;
}

function decodeObject(schema: Schema, bytes: Uint8Array, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new Error('messages are nested too deeply');
  const fields = fieldsOf(schema);
  const reader = protobuf.Reader.create(bytes);
  const object: JsonObject = {};
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const found = fields.get(tag >>> 3);
    if (found === undefined) {
      reader.skipType(tag & 7);
      continue;
    }
    const [name, field] = found;
    if (field.type === 'list') {
      object[name] ??= [];
      (object[name] as Json[]).push(decodeValue(field.items, reader, tag & 7, depth));
    } else if (field.type === 'map') {
      object[name] ??= {};
      const entry = decodeObject(entryOf(field), lengthDelimited(reader, tag & 7), depth + 1);
      setOwn(object[name] as JsonObject, (entry.key as string | undefined) ?? '', entry.value ?? '');
    } else object[name] = decodeValue(field, reader, tag & 7, depth);
  }
  return dropZeros(schema, object);
}

const entries = new WeakMap<Schema, Schema>();

function entryOf(map: Schema & { type: 'map' }): Schema {
  let entry = entries.get(map);
  if (entry === undefined) {
    entry = { type: 'object', fields: { key: { type: 'string', number: 1 }, value: { ...map.values, number: 2 } } };
    entries.set(map, entry);
  }
  return entry;
}

function decodeValue(schema: Schema, reader: protobuf.Reader, wireType: number, depth: number): Json {
  switch (schema.type) {
    case 'string':
      return utf8.decode(lengthDelimited(reader, wireType));
    case 'bytes':
      return Buffer.from(lengthDelimited(reader, wireType)).toString('base64');
    case 'bool':
      return varint(reader, wireType) !== 0;
    case 'int32':
    case 'int64':
      return varint(reader, wireType);
    case 'time':
      return decodeTime(lengthDelimited(reader, wireType), depth);
    default:
      return decodeObject(schema, lengthDelimited(reader, wireType), depth + 1);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function lengthDelimited(reader: protobuf.Reader, wireType: number): Uint8Array {
  if (wireType !== 2) throw new Error(`wire type ${wireType} where bytes are expected`);
  return reader.bytes();
}

function varint(reader: protobuf.Reader, wireType: number): number {
  if (wireType !== 0) throw new Error(`wire type ${wireType} where a number is expected`);
  return Number(reader.int64());
}

const TIME: Schema = { type: 'object', fields: { seconds: { type: 'int64', number: 1 } } };

/** Go writes its zero time as an empty message: it means that there is none. */
function decodeTime(bytes: Uint8Array, depth: number): Json {
  const { seconds = 0 } = decodeObject(TIME, bytes, depth + 1) as { seconds?: number };
  return seconds === 0 ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function dropZeros(schema: Schema, object: JsonObject): JsonObject {
  if (schema.type !== 'object') return object;
  for (const name of Object.keys(object)) {
    // Go writes every string and number, the empty ones, too
    if (object[name] === null || object[name] === '') delete object[name];
  }
  return object;
}
