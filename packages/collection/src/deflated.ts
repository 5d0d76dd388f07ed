import { crc32 } from 'node:zlib';
import { appendFactor, combineCrc32 } from './crc32-combine.ts';

/**
 * A text as raw deflate blocks. They begin and end at a byte, refer to nothing before them and do not end the stream:
 * such texts can follow one another in any order.
 */
export interface Deflated {
  readonly bytes: Buffer;
  /** of the text */
  readonly crc: number;
  /** the factor by which appending this text multiplies the CRC of the text before it */
  readonly factor: number;
  /** of the text */
  readonly length: number;
}

export function deflatedText(text: Buffer, bytes: Buffer): Deflated {
  return { bytes, crc: crc32(text), factor: appendFactor(text.length), length: text.length };
}

/** Joins several texts in a row into one. */
export function joinDeflated(texts: readonly Deflated[]): Deflated {
  let crc = 0;
  let length = 0;
  for (const text of texts) {
    crc = combineCrc32(crc, text.crc, text.factor);
    length += text.length;
  }
  return { bytes: Buffer.concat(texts.map((text) => text.bytes)), crc, factor: appendFactor(length), length };
}

const STORED_MAX = 0xffff;

/** The text in stored blocks, without compression: five bytes more, and no work. For short texts that are used once. */
export function stored(text: Buffer): Deflated {
  const blocks: Buffer[] = [];
  for (let at = 0; at < text.length; at += STORED_MAX) {
    const part = text.subarray(at, at + STORED_MAX);
    const heading = Buffer.alloc(5);
    heading.writeUInt16LE(part.length, 1);
    heading.writeUInt16LE(part.length ^ 0xffff, 3);
    blocks.push(heading, part);
  }
  return deflatedText(text, Buffer.concat(blocks));
}
