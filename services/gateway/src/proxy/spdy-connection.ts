import type { Duplex } from 'node:stream';
import { dataHead, type Frame, FrameReader, frameType, pingFrame, synStream } from './spdy-frames.ts';

/** Receives the data of a stream, in order; nothing follows its end. */
export interface StreamReader {
  data(bytes: Buffer): void;
  end(): void;
}

/** The largest frame that is sent, so that streams can interleave. */
const FRAME_BYTES = 1 << 20;

/**
 * The client side of a SPDY/3.1 connection to a kubelet.
 *
 * Invariant: stream ids are odd, increase, and are not reused. All streams share the flow control of TCP: pausing one
 * stream pauses all, as Kubernetes' own client and server do.
 */
export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #frames = new FrameReader();
  readonly #readers = new Map<number, StreamReader>();
  readonly #ended: (error: Error | undefined) => void;
  #last = -1;

  /** `ended` is called once, when no more data will come. */
  constructor(socket: Duplex, ended: (error: Error | undefined) => void) {
    this.#socket = socket;
    this.#ended = ended;
  }

  /** Begins to read, starting with bytes that have already arrived. */
  start(head: Buffer): void {
    let failure: Error | undefined;
    this.#socket.on('error', (error) => {
      failure ??= error;
    });
    this.#socket.once('end', () => this.#socket.destroy());
    this.#socket.once('close', () => this.#ended(failure));
    const take = (chunk: Buffer) => {
      try {
        for (const frame of this.#frames.take(chunk)) this.#take(frame);
      } catch (error) {
        this.#socket.destroy(error as Error);
      }
    };
    if (head.length > 0) take(head);
    this.#socket.on('data', take);
  }

  open(headers: Readonly<Record<string, string>>, reader: StreamReader): number {
    this.#last += 2;
    this.#readers.set(this.#last, reader);
    this.#socket.write(synStream(this.#last, headers, this.#last === 1));
    return this.#last;
  }

  /** false while the kubelet accepts no more data. */
  write(stream: number, bytes: Buffer): boolean {
    let takesMore = true;
    for (let from = 0; from < bytes.length; from += FRAME_BYTES) {
      const piece = bytes.subarray(from, from + FRAME_BYTES);
      this.#socket.write(dataHead(stream, piece.length, false));
      takesMore = this.#socket.write(piece);
    }
    return takesMore;
  }

  /** Closes the sending side of a stream. */
  end(stream: number): void {
    this.#socket.write(dataHead(stream, 0, true));
  }

  onDrain(run: () => void): void {
    this.#socket.on('drain', run);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(frame: Frame): void {
    if (frame.kind === 'data') {
      if (frame.bytes.length > 0) this.#readers.get(frame.stream)?.data(frame.bytes);
      if (frame.fin) this.#finish(frame.stream);
      return;
    }
    const { type, flags, payload } = frame;
    // a ping with an even id comes from the kubelet and needs an answer
    if (type === frameType.ping && payload.length === 4 && payload.readUInt32BE() % 2 === 0) {
      this.#socket.write(pingFrame(payload));
    }
    if (payload.length < 4) return;
    const stream = payload.readUInt32BE() & 0x7fffffff;
    const isOver = type === frameType.rstStream || (type === frameType.synReply && (flags & 1) !== 0);
    if (isOver) this.#finish(stream);
  }

  #finish(stream: number): void {
    const reader = this.#readers.get(stream);
    this.#readers.delete(stream);
    reader?.end();
  }
}
