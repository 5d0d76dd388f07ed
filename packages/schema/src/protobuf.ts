import { badRequest, unsupportedMediaType } from '@tidegate/status';
import protobuf from 'protobufjs';
import { BodyBudget } from './body-budget.ts';
import { decodeJson } from './json/decode.ts';
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH, setOwn } from './json/json.ts';
import { narrow } from './json/whole-number.ts';
import type { Schema } from './schema.ts';

/** `k8s` and a zero byte: the start of every Protobuf body. The message Unknown follows. */
const PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export function hasProtobufPrefix(body: Uint8Array): boolean {
  return body.length >= 4 && PREFIX.every((byte, i) => body[i] === byte);
}

/** Decodes an envelope and the object in it by the field numbers of the kind's schema. Unknown numbers are skipped. */
export function decodeProtobuf(schema: Schema, body: Uint8Array): JsonObject {
  if (!hasProtobufPrefix(body))
    throw badRequest('the body is not Kubernetes Protobuf: it must begin with the bytes 6b 38 73 00');
  try {
    const reader = new MessageReader();
    const envelope = reader.object(ENVELOPE, body.subarray(4), 0);
    if (envelope.contentEncoding || (envelope.contentType && envelope.contentType !== 'application/json')) {
      throw unsupportedMediaType(['application/vnd.cluster.protobuf', 'application/vnd.kubernetes.protobuf']);
    }
    const raw = Buffer.from((envelope.raw as string | undefined) ?? '', 'base64');
    const object = envelope.contentType ? jsonInside(raw) : reader.object(schema, raw, 0);
    const { apiVersion, kind } = (envelope.typeMeta ?? {}) as JsonObject;
    if (apiVersion) object.apiVersion = apiVersion;
    if (kind) object.kind = kind;
    return object;
  } catch (error) {
    if (error instanceof Error && error.name === 'ApiError') throw error;
    throw badRequest(`couldn't parse the body of the request as Protobuf: ${(error as Error).message}`, error);
  }
}

function jsonInside(raw: Buffer): JsonObject {
  const { value } = decodeJson(raw);
  if (!isJsonObject(value)) throw new Error('the JSON in it is not an object');
  return value;
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

/** By field number: a field, or a message whose fields are directly in the JSON. */
type Numbered = Map<number, { name: string; field: Schema } | Numbered>;
/** by the record of fields, which all references to a type share */
const byNumber = new WeakMap<Readonly<Record<string, Schema>>, Numbered>();

function numbersOf(schema: Schema): Numbered {
  const named = schema.type === 'object' ? schema.fields : {};
  let numbers = byNumber.get(named);
  if (numbers === undefined) {
    numbers = new Map();
    for (const [name, field] of Object.entries(named)) {
      let level = numbers;
      for (const outer of field.within ?? []) {
        const inner = level.get(outer) ?? new Map();
        level.set(outer, inner);
        level = inner as Numbered;
      }
      if (field.number !== undefined) level.set(field.number, { name, field });
    }
    byNumber.set(named, numbers);
  }
  return numbers;
}

/** Reads the messages of one body, within a budget of values. */
class MessageReader {
  readonly #budget = new BodyBudget();

  object(schema: Schema, bytes: Uint8Array, depth: number): JsonObject {
    const object: JsonObject = {};
    this.#fields(object, numbersOf(schema), bytes, depth);
    return dropZeros(schema, object);
  }

  #fields(object: JsonObject, numbers: Numbered, bytes: Uint8Array, depth: number): void {
    if (depth > MAX_DEPTH) throw new Error('messages are nested too deeply');
    const reader = protobuf.Reader.create(bytes);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      const found = numbers.get(tag >>> 3);
      if (found !== undefined) this.#budget.countValue();
      if (found === undefined) reader.skipType(tag & 7);
      else if (found instanceof Map) this.#fields(object, found, lengthDelimited(reader, tag & 7), depth + 1);
      else this.#field(object, found, reader, { wireType: tag & 7, depth });
    }
  }

  #field(
    object: JsonObject,
    { name, field }: { name: string; field: Schema },
    reader: protobuf.Reader,
    { wireType, depth }: { wireType: number; depth: number },
  ): void {
    if (field.type === 'list' && !field.wrapped) {
      object[name] ??= [];
      (object[name] as Json[]).push(this.#value(field.items, reader, wireType, depth));
    } else if (field.type === 'map') {
      object[name] ??= {};
      setOwn(object[name] as JsonObject, ...this.#entry(field, lengthDelimited(reader, wireType), depth + 1));
    } else object[name] = this.#value(field, reader, wireType, depth);
  }

  /** Go leaves out an empty key or value. */
  #entry(map: Schema & { type: 'map' }, bytes: Uint8Array, depth: number): readonly [string, Json] {
    this.#budget.countField();
    const reader = protobuf.Reader.create(bytes);
    let key = '';
    let value: Json | undefined;
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag >>> 3 === 1) key = utf8.decode(lengthDelimited(reader, tag & 7));
      else if (tag >>> 3 === 2) value = this.#value(map.values, reader, tag & 7, depth);
      else reader.skipType(tag & 7);
    }
    return [key, value ?? ''];
  }

  #value(schema: Schema, reader: protobuf.Reader, wireType: number, depth: number): Json {
    switch (schema.type) {
      case 'string':
        return utf8.decode(lengthDelimited(reader, wireType));
      case 'bytes':
        return Buffer.from(lengthDelimited(reader, wireType)).toString('base64');
      case 'bool':
        return Number(varint(reader, wireType)) !== 0;
      case 'int32':
      case 'int64':
        return varint(reader, wireType);
      case 'double':
        if (wireType !== 1) throw new Error(`wire type ${wireType} where a double is expected`);
        return reader.double();
      case 'object':
        return this.object(schema, lengthDelimited(reader, wireType), depth + 1);
      case 'list':
        return this.#wrapped(schema, lengthDelimited(reader, wireType), depth + 1);
      case 'union':
        return this.#member(schema, lengthDelimited(reader, wireType), depth + 1);
      case 'map':
      case 'any':
        throw new Error(`a value of type ${schema.type} has no encoding of its own`);
      default:
        return this.#message(schema.type, lengthDelimited(reader, wireType), depth + 1);
    }
  }

  #wrapped(list: Schema & { type: 'list' }, bytes: Uint8Array, depth: number): Json {
    let message = messages.get(list);
    if (message === undefined) {
      message = { type: 'object', fields: { items: { type: 'list', items: list.items, number: 1 } } };
      messages.set(list, message);
    }
    return this.object(message, bytes, depth).items ?? [];
  }

  /** The last member in the message: in `allows, schema` the first only accompanies the second. */
  #member(union: Schema & { type: 'union' }, bytes: Uint8Array, depth: number): Json {
    let message = messages.get(union);
    if (message === undefined) {
      const fields = Object.fromEntries(union.members.map((member) => [`member${member.number}`, member]));
      message = { type: 'object', fields };
      messages.set(union, message);
    }
    return Object.values(this.object(message, bytes, depth)).at(-1) ?? null;
  }

  /** The JSON of a scalar that is a message in Protobuf. */
  #message(type: keyof typeof MESSAGES, bytes: Uint8Array, depth: number): Json {
    const message = this.object(MESSAGES[type], bytes, depth) as Record<string, never>;
    switch (type) {
      case 'time':
      case 'microTime':
        return timeText(message, type === 'microTime' ? 6 : 0);
      case 'duration':
        return durationText(message.nanoseconds ?? 0);
      case 'quantity':
        return message.text ?? '0';
      case 'intOrString':
        return message.type === 1 ? (message.text ?? '') : (message.whole ?? 0);
      case 'raw':
        return message.raw === undefined ? null : (decodeJson(Buffer.from(message.raw, 'base64')).value as Json);
    }
  }
}

const messages = new WeakMap<Schema, Schema>();

const utf8 = new TextDecoder('utf-8', { fatal: true });

function lengthDelimited(reader: protobuf.Reader, wireType: number): Uint8Array {
  if (wireType !== 2) throw new Error(`wire type ${wireType} where bytes are expected`);
  return reader.bytes();
}

function varint(reader: protobuf.Reader, wireType: number): number | bigint {
  if (wireType !== 0) throw new Error(`wire type ${wireType} where a number is expected`);
  const from = reader.pos;
  const near = Number(reader.int64());
  return Number.isSafeInteger(near) ? near : largeVarint(reader.buf.subarray(from, reader.pos));
}

/** Seven bits per byte, the least significant first. */
function largeVarint(bytes: Uint8Array): number | bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 7n) | BigInt((bytes[i] as number) & 0x7f);
  return narrow(BigInt.asIntN(64, value));
}

const number = (n: number) => ({ type: 'int64', number: n, tracksPresence: true }) as const;
const MESSAGES = {
  time: { type: 'object', fields: { seconds: number(1), nanos: number(2) } },
  microTime: { type: 'object', fields: { seconds: number(1), nanos: number(2) } },
  duration: { type: 'object', fields: { nanoseconds: number(1) } },
  quantity: { type: 'object', fields: { text: { type: 'string', number: 1 } } },
  intOrString: {
    type: 'object',
    fields: { type: number(1), whole: number(2), text: { type: 'string', number: 3, tracksPresence: true } },
  },
  raw: { type: 'object', fields: { raw: { type: 'bytes', number: 1 } } },
} as const satisfies Record<string, Schema>;

/** Go writes its zero time, which means no time, as an empty message. */
function timeText({ seconds = 0, nanos = 0 }: { seconds?: number; nanos?: number }, digits: number): Json {
  if (seconds === 0 && nanos === 0) return null;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(nanos).padStart(9, '0').slice(0, digits)}Z`;
}

/** Prints a duration as Go does: `1h2m3.5s`, `300ms`, `0s`. */
function durationText(nanoseconds: number | bigint): string {
  const sign = nanoseconds < 0 ? '-' : '';
  // a double is exact up to a hundred days in nanoseconds; longer durations lose their last digits
  const all = Math.abs(Number(nanoseconds));
  if (all === 0) return '0s';
  if (all < 1e3) return `${sign}${all}ns`;
  if (all < 1e6) return `${sign}${all / 1e3}µs`;
  if (all < 1e9) return `${sign}${all / 1e6}ms`;
  const hours = Math.floor(all / 3.6e12);
  const minutes = Math.floor((all % 3.6e12) / 6e10);
  const seconds = (all % 6e10) / 1e9;
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}

/** Drops zero values: Go writes every string, number and boolean, including zeros. */
function dropZeros(schema: Schema, object: JsonObject): JsonObject {
  if (schema.type !== 'object') return object;
  for (const name of Object.keys(object)) {
    const value = object[name];
    const field = schema.fields[name];
    const zero = value === null || value === '' || value === 0 || value === false;
    if (zero && (value === null || !(field?.tracksPresence || field?.required))) delete object[name];
  }
  return object;
}
