/**
 * Writes Protobuf from its end to its beginning: when the length of a message is due, the message stands there already
 * and has told it. Nothing is measured first, and nothing is moved.
 *
 * For example a field `name` (number 1) with "ab": first "ab", then its length 2, then the tag 0x0a: `0a 02 61 62`.
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

  /** What was written, as bytes of its own; the writer is empty again. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.#buffer.copy(bytes, 0, this.#at);
    this.#at = this.#buffer.length;
    return bytes;
  }

  /** Begins anew, whatever was written. */
  reset(): void {
    this.#at = this.#buffer.length;
  }

  /** Tag and length of what was written since the writer had that length. */
  delimit(number: number, before: number): void {
    this.varint(this.length - before);
    this.tag(number, 2);
  }

  tag(number: number, wireType: number): void {
    this.varint((number << 3) | wireType);
  }

  /** A whole number of up to 64 bits; below zero in ten bytes, as Protobuf wants it. */
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
    // what is no number at all fails there, and would not end here
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

  /** A text as UTF-8. */
  text(text: string): void {
    if (text.length < 24 && this.#ascii(text)) return;
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#buffer.write(text, this.#at, size, 'utf8');
  }

  /** Short texts letter by letter: a call of the engine costs more. */
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
