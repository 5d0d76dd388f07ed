import { Refusal } from './refusal.ts';

/**
 * The file below its compression: a mark, then frames, each a kind, a length and that many bytes.
 *
 *   "tidegate-backup\n"  header  rows  rows  rows ...  trailer
 *
 * The header and the trailer are JSON; rows are whole rows as PostgreSQL's binary COPY writes them. The trailer's digest
 * covers every byte before it, and nothing may follow it.
 */
export const MARK = Buffer.from('tidegate-backup\n');

export const frameKind = { header: 1, rows: 2, trailer: 3 } as const;
export type FrameKind = (typeof frameKind)[keyof typeof frameKind];

export interface Frame {
  readonly kind: FrameKind;
  readonly body: Buffer;
  /** with its heading, as it stands in the file */
  readonly bytes: Buffer;
}

const HEADING = 5;
/** PostgreSQL keeps no value above 1 GiB. */
const LONGEST = 2 ** 30 + 2 ** 20;

export function frame(kind: FrameKind, body: Buffer): Buffer {
  const heading = Buffer.allocUnsafe(HEADING);
  heading.writeUInt8(kind, 0);
  heading.writeUInt32BE(body.length, 1);
  return Buffer.concat([heading, body]);
}

/** Cuts a stream into frames; its chunks may end anywhere. Memory holds one frame. */
export async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const bytes = new ByteQueue(source);
  const mark = await bytes.take(MARK.length);
  if (mark === undefined || !mark.equals(MARK)) throw new Refusal('it is no backup of tidegate');
  for (;;) {
    const heading = await bytes.take(HEADING);
    if (heading === undefined) return;
    const kind = heading.readUInt8(0);
    const length = heading.readUInt32BE(1);
    if (!isFrameKind(kind) || length > LONGEST)
      throw new Refusal('it is damaged: a frame has no known kind and length');
    const body = await bytes.take(length);
    if (body === undefined) throw new Refusal('it is cut short');
    yield { kind, body, bytes: Buffer.concat([heading, body]) };
  }
}

function isFrameKind(kind: number): kind is FrameKind {
  return Object.values<number>(frameKind).includes(kind);
}

/** Bytes of a stream, so many at a time. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end of the stream; an end in the middle is a file that was cut short. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.#length < length) {
      const next = await this.#source.next();
      if (next.done === true) {
        if (this.#length > 0) throw new Refusal('it is cut short');
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
