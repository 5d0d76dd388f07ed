/**
 * Writes Protobuf from its end to its beginning. A message is written before its length, so the length is known when it
 * is needed: nothing is measured first or moved later.
 *
 * For example, the field `name` (number 1) with "ab": first "ab", then its length 2, then the tag 0x0a: `0a 02 61 62`.
 */
export class ReverseWriter {
  #buffer: Buffer;
  #at: number;

  constructor(size = 16 << 10) {
    this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#at = size;
  }

  /** bytes written so far */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** Returns a copy of the written bytes and empties the writer. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.#buffer.copy(bytes, 0, this.#at);
    this.#at = this.#buffer.length;
    return bytes;
  }

  /** Discards the written bytes. */
  reset(): void {
    this.#at = this.#buffer.length;
  }

  /** Writes the tag and length of the bytes written since the writer had the length `before`. */
  delimit(number: number, before: number): void {
    this.varint(this.length - before);
    this.tag(number, 2);
  }

  tag(number: number, wireType: number): void {
    this.varint((number << 3) | wireType);
  }

  /** Writes an integer of up to 64 bits; a negative one takes ten bytes, as Protobuf requires. */
  varint(value: number | bigint): void {
    this.#reserve(10);
    if (typeof value === 'bigint') {
      this.#largeVarint(BigInt.asUintN(64, value));
      return;
    }
    if (value >= 0 && value < 0x80) {
      this.#buffer[--this.#at] = value;
      return;
    }
    // NaN and other non-numbers throw in BigInt(); the loop below would not end for them
    if (!(value >= 0 && value <= 0xffff_ffff)) {
      this.#largeVarint(BigInt.asUintN(64, BigInt(value)));
      return;
    }
    let bytes = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
    this.#at -= bytes;
    let at = this.#at;
    for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
      if (rest < 0x80) {
        this.#buffer[at] = rest;
        return;
      }
      this.#buffer[at++] = (rest % 0x80) | 0x80;
    }
  }

  #largeVarint(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[--this.#at] = byte;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  text(text: string): void {
    if (text.length < 24 && this.#ascii(text)) return;
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#buffer.write(text, this.#at, size, 'utf8');
  }

  /**
   * Writes a short text byte by byte, which is faster than a call of `Buffer.write`. Returns false if it is not ASCII.
   */
  #ascii(text: string): boolean {
    this.#reserve(text.length);
    const from = this.#at - text.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) return false;
      this.#buffer[from + i] = code;
    }
    this.#at = from;
    return true;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#at) return;
    const used = this.length;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + bytes));
    this.#buffer.copy(larger, larger.length - used, this.#at);
    this.#at = larger.length - used;
    this.#buffer = larger;
  }
}
