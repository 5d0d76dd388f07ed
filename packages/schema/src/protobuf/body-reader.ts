import { BodyBudget } from '../body-budget.ts';
import { MAX_DEPTH } from '../json/json.ts';
import { narrow } from '../json/whole-number.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Reading so many bytes of a varint cannot exceed the safe integers. */
const SAFE_BYTES = 7;
/** the bytes of a 64-bit varint */
const MAX_BYTES = 10;

/**
 * Reads the values of one Protobuf body from its beginning to its end, within a budget of values.
 *
 * Invariant: `pos` is not after `end`, which is the end of the innermost message that has been entered. A read that
 * would pass it throws, so no value can extend beyond its message.
 */
export class BodyReader {
  readonly #bytes: Buffer;
  readonly #budget = new BodyBudget();
  #pos = 0;
  #end: number;
  #depth = 0;

  constructor(bytes: Uint8Array, from = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pos = from;
    this.#end = bytes.byteLength;
  }

  get isAtEnd(): boolean {
    return this.#pos >= this.#end;
  }

  countValue(): void {
    this.#budget.countValue();
  }

  countEntry(): void {
    this.#budget.countField();
  }

  /** Enters a message of this wire type. Returns the end of the outer one, for `leave`. */
  enter(wireType: number): number {
    const length = this.#length(wireType);
    if (++this.#depth > MAX_DEPTH) throw new Error('messages are nested too deeply');
    const outer = this.#end;
    this.#end = this.#pos + length;
    return outer;
  }

  leave(outer: number): void {
    this.#depth--;
    this.#end = outer;
  }

  /** The number of the next field and its wire type; see `fieldNumber` and `wireType`. */
  tag(): number {
    const first = this.#bytes[this.#pos] as number;
    if (this.#pos < this.#end && first < 0x80) {
      this.#pos++;
      return first;
    }
    return this.#unsigned();
  }

  text(wireType: number): string {
    const length = this.#length(wireType);
    const [from, to] = [this.#pos, this.#pos + length];
    this.#pos = to;
    const bytes = this.#bytes;
    for (let i = from; i < to; i++) if ((bytes[i] as number) >= 0x80) return utf8.decode(bytes.subarray(from, to));
    return bytes.toString('latin1', from, to);
  }

  /** The bytes are not copied. */
  bytes(wireType: number): Buffer {
    const length = this.#length(wireType);
    this.#pos += length;
    return this.#bytes.subarray(this.#pos - length, this.#pos);
  }

  /** A signed integer of up to 64 bits. */
  whole(wireType: number): number | bigint {
    if (wireType !== 0) throw new Error(`wire type ${wireType} where a number is expected`);
    const from = this.#pos;
    let value = 0;
    let place = 1;
    for (let i = 0; i < SAFE_BYTES; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * place;
      if (byte < 0x80) return value;
      place *= 0x80;
    }
    this.#pos = from;
    return narrow(BigInt.asIntN(64, this.#large()));
  }

  /** A 64-bit floating-point number. */
  double(wireType: number): number {
    if (wireType !== 1) throw new Error(`wire type ${wireType} where a double is expected`);
    this.#skipBytes(8);
    return this.#bytes.readDoubleLE(this.#pos - 8);
  }

  /** Skips the value of an unknown field. */
  skip(wireType: number): void {
    switch (wireType) {
      case 0:
        this.#large();
        return;
      case 1:
        this.#skipBytes(8);
        return;
      case 2:
        this.#skipBytes(this.#unsigned());
        return;
      case 3:
        this.#skipGroup();
        return;
      case 5:
        this.#skipBytes(4);
        return;
      default:
        throw new Error(`wire type ${wireType} is unknown`);
    }
  }

  /** An outdated form of a message: it ends with a tag of its own. */
  #skipGroup(): void {
    if (++this.#depth > MAX_DEPTH) throw new Error('messages are nested too deeply');
    for (;;) {
      const type = wireTypeOf(this.tag());
      if (type === 4) break;
      this.skip(type);
    }
    this.#depth--;
  }

  /** The length of bytes that are within the current message. */
  #length(wireType: number): number {
    if (wireType !== 2) throw new Error(`wire type ${wireType} where bytes are expected`);
    const length = this.#unsigned();
    if (length > this.#end - this.#pos) throw tooShort();
    return length;
  }

  #skipBytes(count: number): void {
    if (count > this.#end - this.#pos) throw tooShort();
    this.#pos += count;
  }

  #byte(): number {
    if (this.#pos >= this.#end) throw tooShort();
    return this.#bytes[this.#pos++] as number;
  }

  /** An integer of 32 bits; further bits are dropped. */
  #unsigned(): number {
    let value = 0;
    for (let i = 0; i < MAX_BYTES; i++) {
      const byte = this.#byte();
      if (i < 5) value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value >>> 0;
    }
    throw tooLong();
  }

  /** Seven bits per byte, the least significant first. */
  #large(): bigint {
    let value = 0n;
    for (let i = 0; i < MAX_BYTES; i++) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return value;
    }
    throw tooLong();
  }
}

export function fieldNumberOf(tag: number): number {
  return tag >>> 3;
}

export function wireTypeOf(tag: number): number {
  return tag & 7;
}

function tooShort(): Error {
  return new Error('a value extends beyond the end of its message');
}

function tooLong(): Error {
  return new Error('a number has more than ten bytes');
}
