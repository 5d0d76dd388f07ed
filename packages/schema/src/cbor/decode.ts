import { badRequest } from '@tidegate/status';
import { BodyBudget } from '../body-budget.ts';
import { BodyNotes, type Decoded } from '../json/body-notes.ts';
import { type Json, type JsonObject, MAX_DEPTH, setOwn } from '../json/json.ts';
import { fitsInt64, narrow } from '../json/whole-number.ts';
import type { Schema } from '../schema.ts';
import { fieldOf } from './encode.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes exactly one item. Strings may be text or byte strings; fields of type `bytes` become base64. */
export function decodeCbor(bytes: Uint8Array, schema?: Schema): Json {
  return readCbor(bytes, schema).value as Json;
}

/** Decodes the item and also reports repeated keys. */
export function readCbor(bytes: Uint8Array, schema?: Schema): Decoded {
  try {
    const reader = new CborReader(bytes);
    const value = reader.item(schema, 0);
    if (!reader.atEnd) throw new Error('there is data after the first item');
    return { value, notes: reader.notes };
  } catch (error) {
    throw badRequest(`couldn't parse the body of the request as CBOR: ${(error as Error).message}`, error);
  }
}

/** Major types */
const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const TAG = 6;

const INDEFINITE = 31;
const BREAK = 0xff;
const SELF_DESCRIBED = 55_799;
/** tags for the text form of a byte string: base64url, base64, hexadecimal */
const TEXT_OF: Readonly<Record<number, BufferEncoding>> = { 21: 'base64url', 22: 'base64', 23: 'hex' };
const TIME = 0;

/**
 * Reads the items of one body.
 *
 * Invariant: the number of values is bounded by the bytes of the body, whatever lengths it claims: each element of an
 * array or map takes at least one remaining byte. Every value, field and part of a string is counted.
 */
class CborReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #budget = new BodyBudget();
  #at = 0;
  #notes: BodyNotes | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** undefined if no key is repeated */
  get notes(): BodyNotes | undefined {
    return this.#notes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  item(schema: Schema | undefined, depth: number): Json {
    // the tag around a document and the innermost scalar count as levels here
    if (depth > MAX_DEPTH + 1) throw new Error('items are nested too deeply');
    this.#budget.countValue();
    const first = this.#byte();
    const major = first >>> 5;
    const info = first & 0x1f;
    switch (major) {
      case UNSIGNED:
        return exact(this.#argument(info));
      case NEGATIVE:
        return exact(-1n - this.#argument(info));
      case BYTES:
      case TEXT: {
        const bytes = this.#string(major, info);
        return major === BYTES && schema?.type === 'bytes' ? base64(bytes) : utf8.decode(bytes);
      }
      case ARRAY:
        return this.#array(info, schema?.type === 'list' ? schema.items : undefined, depth);
      case MAP:
        return this.#map(info, schema, depth);
      case TAG:
        return this.#tagged(Number(this.#argument(info)), schema, depth);
      default:
        return this.#simple(info);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('unexpected end of data');
    return byte;
  }

  #argument(info: number): bigint {
    if (info < 24) return BigInt(info);
    if (info > 27) throw new Error(`invalid length ${info}`);
    const size = 1 << (info - 24);
    const at = this.#take(size);
    if (size === 1) return BigInt(this.#view.getUint8(at));
    if (size === 2) return BigInt(this.#view.getUint16(at));
    return size === 4 ? BigInt(this.#view.getUint32(at)) : this.#view.getBigUint64(at);
  }

  /** Moves past `size` bytes and returns their position. */
  #take(size: number): number {
    const at = this.#at;
    if (size > this.#bytes.length - at) throw new Error('unexpected end of data');
    this.#at += size;
    return at;
  }

  #string(major: number, info: number): Uint8Array {
    if (info !== INDEFINITE) {
      const size = Number(this.#argument(info));
      const at = this.#take(size);
      return this.#bytes.subarray(at, at + size);
    }
    const parts: Uint8Array[] = [];
    for (let next = this.#byte(); next !== BREAK; next = this.#byte()) {
      if (next >>> 5 !== major || (next & 0x1f) === INDEFINITE) throw new Error('a string has a part of another type');
      this.#budget.countValue();
      parts.push(this.#string(major, next & 0x1f));
    }
    return Buffer.concat(parts);
  }

  #array(info: number, items: Schema | undefined, depth: number): Json[] {
    const list: Json[] = [];
    for (const _ of this.#elements(info)) list.push(this.item(items, depth + 1));
    return list;
  }

  #map(info: number, schema: Schema | undefined, depth: number): JsonObject {
    const map: JsonObject = {};
    for (const _ of this.#elements(info)) {
      this.#budget.countField();
      const key = this.#key();
      if (Object.hasOwn(map, key)) {
        this.#notes ??= new BodyNotes();
        this.#notes.noteRepeatedKey(map, key);
      }
      setOwn(map, key, this.item(fieldOf(schema, key), depth + 1));
    }
    return map;
  }

  /** Yields once per element; the caller reads the element. */
  *#elements(info: number): Generator<void> {
    if (info === INDEFINITE) {
      for (; this.#bytes[this.#at] !== BREAK; ) {
        if (this.atEnd) throw new Error('unexpected end of data');
        yield;
      }
      this.#at++;
      return;
    }
    const count = this.#argument(info);
    if (count > BigInt(this.#bytes.length - this.#at)) throw new Error('unexpected end of data');
    for (let i = 0; i < count; i++) yield;
  }

  #key(): string {
    const first = this.#byte();
    const major = first >>> 5;
    if (major !== BYTES && major !== TEXT) throw new Error('the key of a map is not a string');
    if ((first & 0x1f) === INDEFINITE) throw new Error('the key of a map has an indefinite length');
    return utf8.decode(this.#string(major, first & 0x1f));
  }

  #tagged(tag: number, schema: Schema | undefined, depth: number): Json {
    if (tag === SELF_DESCRIBED || tag === TIME) return this.item(schema, depth + 1);
    const encoding = TEXT_OF[tag];
    if (encoding === undefined) throw new Error(`tag ${tag} is not supported`);
    const first = this.#byte();
    if (first >>> 5 !== BYTES) throw new Error(`tag ${tag} requires a byte string`);
    const bytes = this.#string(BYTES, first & 0x1f);
    return schema?.type === 'bytes' ? base64(bytes) : Buffer.from(bytes).toString(encoding);
  }

  #simple(info: number): Json {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
        return finite(halfFloat(this.#view.getUint16(this.#take(2))));
      case 26:
        return finite(this.#view.getFloat32(this.#take(4)));
      case 27:
        return finite(this.#view.getFloat64(this.#take(8)));
      default:
        throw new Error(`the simple value ${info} is not supported`);
    }
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function exact(value: bigint): number | bigint {
  if (!fitsInt64(value)) throw new Error(`the number ${value} is too large`);
  return narrow(value);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error('a number is not finite');
  return value;
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
