/**
 * The part of SPDY/3.1 that a client of kubelets needs: frames, and headers of requests.
 *
 *     control  1 | version 3 (15 bits) | type (16) | flags (8) | length (24) | ...
 *     data     0 | stream (31)         |             flags (8) | length (24) | ...
 */
export const frameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

const FIN = 1;
const HEAD_BYTES = 8;
/** far above the size of any control frame of a kubelet */
const MAX_CONTROL_BYTES = 64 << 10;

export type Frame =
  | { readonly kind: 'data'; readonly stream: number; readonly bytes: Buffer; readonly fin: boolean }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Buffer };

/**
 * Parses the frames of a connection, however its bytes are split.
 *
 * Invariant: a data frame may be delivered in parts, and only its last part ends the stream; a control frame is
 * delivered whole, and is at most 64 KiB.
 */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0);
  /** the data frame that is being received */
  #data: { stream: number; left: number; fin: boolean } | undefined;

  *take(chunk: Buffer): Generator<Frame> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    if (this.#data !== undefined) return this.#piece(this.#data);
    if (this.#held.length < HEAD_BYTES) return undefined;
    const first = this.#held.readUInt32BE(0);
    const flags = this.#held.readUInt8(4);
    const length = this.#held.readUIntBE(5, 3);
    if (first < 0x80000000) {
      this.#release(HEAD_BYTES);
      this.#data = { stream: first, left: length, fin: (flags & FIN) !== 0 };
      return this.#piece(this.#data);
    }
    if (length > MAX_CONTROL_BYTES) throw new Error('a control frame of SPDY is too large');
    if (this.#held.length < HEAD_BYTES + length) return undefined;
    this.#release(HEAD_BYTES);
    return { kind: 'control', type: first & 0xffff, flags, payload: this.#release(length) };
  }

  #piece(data: { stream: number; left: number; fin: boolean }): Frame | undefined {
    if (this.#held.length === 0 && data.left > 0) return undefined;
    const bytes = this.#release(Math.min(data.left, this.#held.length));
    data.left -= bytes.length;
    if (data.left === 0) this.#data = undefined;
    return { kind: 'data', stream: data.stream, bytes, fin: data.fin && data.left === 0 };
  }

  #release(length: number): Buffer {
    const bytes = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return bytes;
  }
}

/** The end of a stream may be a separate frame without data. */
export function dataHead(stream: number, length: number, fin: boolean): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(stream, 0);
  head.writeUInt8(fin ? FIN : 0, 4);
  head.writeUIntBE(length, 5, 3);
  return head;
}

function controlFrame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

export function pingFrame(id: Buffer): Buffer {
  return controlFrame(frameType.ping, id);
}

/**
 * All headers of a connection form one zlib stream with a preset dictionary. Stored blocks do not refer to the
 * dictionary, so only its checksum is needed, in the first six bytes.
 */
const ZLIB_HEAD = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);
/** an empty stored block, which flushes the data before it */
const FLUSH = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);

/** Opens a stream; `first` is the first frame of the connection that has headers. */
export function synStream(stream: number, headers: Readonly<Record<string, string>>, first: boolean): Buffer {
  const ids = Buffer.alloc(10);
  ids.writeUInt32BE(stream, 0);
  const pairs = Object.entries(headers);
  const block = Buffer.concat([uint32(pairs.length), ...pairs.flat().flatMap((text) => counted(text))]);
  const stored = Buffer.alloc(5);
  stored.writeUInt16LE(block.length, 1);
  stored.writeUInt16LE(~block.length & 0xffff, 3);
  return controlFrame(frameType.synStream, Buffer.concat([ids, ...(first ? [ZLIB_HEAD] : []), stored, block, FLUSH]));
}

function counted(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return [uint32(bytes.length), bytes];
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
