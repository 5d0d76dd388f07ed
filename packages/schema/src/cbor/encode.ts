import type { Json, JsonObject } from '../json/json.ts';
import { fitsInt64 } from '../json/whole-number.ts';
import { ReverseWriter } from '../protobuf/reverse-writer.ts';
import type { Schema } from '../schema.ts';

/** Tag 55799, "this is CBOR": every document begins with it. */
export const CBOR_PREFIX = Buffer.from([0xd9, 0xd9, 0xf7]);
/** Tag 22: the text form of these bytes is base64. */
const BASE64 = 0xd6;

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const ARRAY = 4;
const MAP = 5;

/**
 * Encodes CBOR as Kubernetes does: strings are byte strings, integers are never floats, keys are sorted by their
 * encoded bytes, and fields of type `bytes` are byte strings with the tag for base64.
 */
export function encodeCbor(value: Json, schema?: Schema): Buffer {
  shared.reset();
  write(shared, value, schema);
  return shared.take();
}

/** A document: the prefix, then the value. */
export function cborDocument(value: Json, schema?: Schema): Buffer {
  return Buffer.concat([CBOR_PREFIX, encodeCbor(value, schema)]);
}

const shared = new ReverseWriter();

function write(writer: ReverseWriter, value: Json, schema: Schema | undefined): void {
  if (typeof value === 'string') writeText(writer, value, schema?.type === 'bytes');
  else if (typeof value === 'number') writeNumber(writer, value);
  else if (typeof value === 'bigint') writeLarge(writer, value);
  else if (value === null) writer.byte(0xf6);
  else if (typeof value === 'boolean') writer.byte(value ? 0xf5 : 0xf4);
  else if (Array.isArray(value)) {
    const items = schema?.type === 'list' ? schema.items : undefined;
    for (let i = value.length - 1; i >= 0; i--) write(writer, value[i] as Json, items);
    writeHead(writer, ARRAY, value.length);
  } else writeMap(writer, value, schema);
}

function writeText(writer: ReverseWriter, text: string, isBase64: boolean): void {
  const before = writer.length;
  if (isBase64) writer.bytes(Buffer.from(text, 'base64'));
  else writer.text(text);
  writeHead(writer, BYTES, writer.length - before);
  if (isBase64) writer.byte(BASE64);
}

function writeNumber(writer: ReverseWriter, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    if (value >= 0) writeHead(writer, UNSIGNED, value);
    else writeHead(writer, NEGATIVE, -1 - value);
    return;
  }
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value);
  writer.bytes(bytes);
  writer.byte(0xfb);
}

/** The value is not a safe integer, so it always takes eight bytes. One that does not fit becomes a double. */
function writeLarge(writer: ReverseWriter, value: bigint): void {
  if (!fitsInt64(value)) {
    writeNumber(writer, Number(value));
    return;
  }
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = ((value >= 0n ? UNSIGNED : NEGATIVE) << 5) | 27;
  bytes.writeBigUInt64BE(value >= 0n ? value : -1n - value, 1);
  writer.bytes(bytes);
}

function writeMap(writer: ReverseWriter, map: JsonObject, schema: Schema | undefined): void {
  const keys = Object.keys(map).filter((key) => map[key] !== undefined);
  keys.sort(byEncoding);
  for (const key of keys.reverse()) {
    write(writer, map[key] as Json, fieldOf(schema, key));
    writeText(writer, key, false);
  }
  writeHead(writer, MAP, keys.length);
}

/** Shorter keys first, because the encoded length comes before the bytes. */
function byEncoding(a: string, b: string): number {
  const lengths = Buffer.byteLength(a) - Buffer.byteLength(b);
  return lengths !== 0 ? lengths : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The schema of a key's value. */
export function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'object') return Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
  if (schema?.type === 'map') return schema.values;
  if (schema?.type === 'union') return schema.members.map((member) => fieldOf(member, key)).find(Boolean);
  return undefined;
}

/** Major type and argument, in the fewest bytes. */
function writeHead(writer: ReverseWriter, major: number, argument: number): void {
  const bytes = headOf(major, argument);
  writer.bytes(bytes);
}

export function headOf(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.from([type | argument]);
  if (argument < 0x100) return Buffer.from([type | 24, argument]);
  if (argument < 0x1_0000) return Buffer.from([type | 25, argument >>> 8, argument & 0xff]);
  const bytes = Buffer.allocUnsafe(argument < 0x1_0000_0000 ? 5 : 9);
  if (bytes.length === 5) {
    bytes[0] = type | 26;
    bytes.writeUInt32BE(argument, 1);
  } else {
    bytes[0] = type | 27;
    bytes.writeBigUInt64BE(BigInt(argument), 1);
  }
  return bytes;
}
