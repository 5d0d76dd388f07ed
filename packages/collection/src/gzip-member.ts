import { combineCrc32 } from './crc32-combine.ts';
import type { Deflated } from './deflated.ts';

/** No name, no time, and the fastest level, as of an unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** an empty stored block that ends the stream */
const FINAL = Buffer.from([1, 0, 0, 0xff, 0xff]);

/**
 * One gzip member, joined from deflated texts as they come. Readers that read the first member only, and many do, get
 * all of it.
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
