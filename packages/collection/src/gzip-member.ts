import { combineCrc32 } from './crc32-combine.ts';
import type { Deflated } from './deflated.ts';

/** The header of a gzip member without name and time, of the fastest level and an unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** an empty stored block that ends the stream */
const FINAL = Buffer.from([1, 0, 0, 0xff, 0xff]);

/**
 * One gzip member, joined from deflated texts as they arrive. Many readers read the first member only; they get the
 * whole text.
 */
export class GzipMember {
  #crc = 0;
  #length = 0;

  begin(): Buffer {
    return HEADER;
  }

  /** the bytes to send */
  add(text: Deflated): Buffer {
    this.#crc = combineCrc32(this.#crc, text.crc, text.factor);
    this.#length += text.length;
    return text.bytes;
  }

  end(): Buffer {
    const trailer = Buffer.alloc(FINAL.length + 8);
    FINAL.copy(trailer);
    trailer.writeUInt32LE(this.#crc, FINAL.length);
    trailer.writeUInt32LE(this.#length % 2 ** 32, FINAL.length + 4);
    return trailer;
  }
}
