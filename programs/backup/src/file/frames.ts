import { BackupError } from './backup-error.ts';

/**
 * The uncompressed form of the file: a mark, then frames. A frame is a kind, a length and that many bytes.
 *
 *   "tidegate-backup\n"  header  rows  rows  rows ...  trailer
 *
 * The header and the trailer are JSON; rows are whole rows as PostgreSQL's binary COPY writes them. The trailer's
 * digest covers every byte before it, and nothing may follow it.
 */
export const MARK = Buffer.from('tidegate-backup\n');

export const frameKind = { header: 1, rows: 2, trailer: 3 } as const;
export type FrameKind = (typeof frameKind)[keyof typeof frameKind];

export interface Frame {
  readonly kind: FrameKind;
  readonly body: Buffer;
  /** the whole frame with its heading, as in the file */
  readonly bytes: Buffer;
}

const HEADING = 5;
/** PostgreSQL cannot store values above 1 GiB. */
const MAX_FRAME_BYTES = 2 ** 30 + 2 ** 20;

export function frame(kind: FrameKind, body: Buffer): Buffer {
  const heading = Buffer.allocUnsafe(HEADING);
  heading.writeUInt8(kind, 0);
  heading.writeUInt32BE(body.length, 1);
  return Buffer.concat([heading, body]);
}

/** Splits a stream into frames; its chunks may end anywhere. Memory holds one frame. */
export async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const bytes = new ByteQueue(source);
  const mark = await bytes.take(MARK.length);
  if (mark === undefined || !mark.equals(MARK)) throw new BackupError('it is not a backup of tidegate');
  for (;;) {
    const heading = await bytes.take(HEADING);
    if (heading === undefined) return;
    const kind = heading.readUInt8(0);
    const length = heading.readUInt32BE(1);
    if (!isFrameKind(kind) || length > MAX_FRAME_BYTES)
      throw new BackupError('it is damaged: a frame has an unknown kind or an invalid length');
    const body = await bytes.take(length);
    if (body === undefined) throw new BackupError('it is truncated');
    yield { kind, body, bytes: Buffer.concat([heading, body]) };
  }
}

function isFrameKind(kind: number): kind is FrameKind {
  return Object.values<number>(frameKind).includes(kind);
}

/** Reads a given number of bytes at a time from a stream. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns undefined at the end of the stream. An end inside the requested bytes is an incomplete file. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.#length < length) {
      const next = await this.#source.next();
      if (next.done === true) {
        if (this.#length > 0) throw new BackupError('it is truncated');
        return length === 0 ? Buffer.alloc(0) : undefined;
      }
      this.#parts.push(next.value);
      this.#length += next.value.length;
    }
    const all = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    this.#parts = [all.subarray(length)];
    this.#length -= length;
    return all.subarray(0, length);
  }
}
