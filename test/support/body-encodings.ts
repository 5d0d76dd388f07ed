import assert from 'node:assert/strict';
import type { Schema } from '@tidegate/schema';
import {
  decodeCbor,
  decodeProtobuf,
  encodeCbor,
  encodeMessage,
  inEnvelope,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@tidegate/schema';
import { dump, load, loadAll } from 'js-yaml';

export type ObjectSchema = Schema & { type: 'object' };

/** One of the four encodings, from the side of a client. */
export interface BodyEncoding {
  readonly type: string;
  /** the content type of a watch in this encoding */
  readonly stream: string;
  write(value: JsonObject, schema: ObjectSchema): Buffer;
  read(bytes: Buffer, schema: ObjectSchema): JsonObject;
  /** decodes the events of a complete watch */
  events(bytes: Buffer, schema: ObjectSchema): JsonObject[];
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const WATCH_EVENT: ObjectSchema = {
  type: 'object',
  fields: {
    type: { type: 'string', number: 1 },
    object: { type: 'object', number: 2, fields: { raw: { type: 'bytes', number: 1 } } },
  },
};

export const ENCODINGS: readonly BodyEncoding[] = [
  {
    type: 'application/json',
    stream: 'application/json',
    write: (value) => Buffer.from(JSON.stringify(value)),
    read: (bytes) => JSON.parse(bytes.toString()) as JsonObject,
    events: (bytes) =>
      bytes
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as JsonObject),
  },
  {
    type: 'application/yaml',
    stream: 'application/yaml',
    write: (value) => Buffer.from(dump(value)),
    read: (bytes) => load(bytes.toString()) as JsonObject,
    events: (bytes) => (loadAll(bytes.toString()) as JsonObject[]).filter(Boolean),
  },
  {
    type: 'application/cbor',
    stream: 'application/cbor-seq',
    write: (value, schema) => encodeCbor(value, schema),
    read: (bytes, schema) => {
      assert.equal(bytes.subarray(0, 3).toString('hex'), 'd9d9f7');
      return decodeCbor(bytes, schema) as JsonObject;
    },
    events: cborEvents,
  },
  {
    type: PROTOBUF,
    stream: `${PROTOBUF};stream=watch`,
    write: (value, schema) => {
      const type = { apiVersion: String(value.apiVersion ?? ''), kind: String(value.kind ?? '') };
      return inEnvelope(type, encodeMessage(schema, value));
    },
    read: (bytes, schema) => decodeProtobuf(schema, bytes),
    events: protobufEvents,
  },
];

/** A sequence of documents: each begins with the CBOR self-described tag and a map of two entries. */
function cborEvents(bytes: Buffer): JsonObject[] {
  const begin = Buffer.from([0xd9, 0xd9, 0xf7, 0xa2]);
  const starts: number[] = [];
  for (let at = bytes.indexOf(begin); at >= 0; at = bytes.indexOf(begin, at + 1)) starts.push(at);
  return starts.map((at, i) => decodeCbor(bytes.subarray(at, starts[i + 1])) as JsonObject);
}

/** Length-prefixed messages, each with a whole document in it. */
function protobufEvents(bytes: Buffer, schema: ObjectSchema): JsonObject[] {
  const events: JsonObject[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const event = decodeProtobuf(WATCH_EVENT, inEnvelope({ apiVersion: '', kind: '' }, bytes.subarray(at + 4, end)));
    const raw = Buffer.from(String((event.object as JsonObject).raw), 'base64');
    events.push({ type: event.type as string, object: decodeProtobuf(schema, raw) });
    at = end;
  }
  return events;
}

/** The value without empty and zero fields, which Protobuf does not transmit. */
export function withoutZeros(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutZeros(item) ?? null);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, withoutZeros(field)] as const)
    .filter(([, field]) => field !== '' && field !== 0 && field !== false && field !== null && !isEmpty(field));
  return Object.fromEntries(fields) as JsonObject;
}

function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
