import type { Duplex } from 'node:stream';
import { dataHead, type Frame, FrameReader, frameType, pingFrame, synStream } from './spdy-frames.ts';

/** What a stream has to say, in order; nothing comes after its end. */
export interface StreamReader {
  data(bytes: Buffer): void;
  end(): void;
}

/** How large one frame is that is sent: others get their turn between two. */
const FRAME_BYTES = 1 << 20;

/**
 * A connection with a kubelet that speaks SPDY/3.1, from the client's side.
 *
 * Invariant: streams have odd numbers, in the order in which they are opened, and are not used again. There is one
 * window for all streams, that of TCP: who pauses one of them pauses all, as both ends of Kubernetes do.
 */
export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #frames = new FrameReader();
  readonly #readers = new Map<number, StreamReader>();
  readonly #ended: (error: Error | undefined) => void;
  #last = -1;

  /** `ended` is told once, when nothing more will come. */
  constructor(socket: Duplex, ended: (error: Error | undefined) => void) {
    this.#socket = socket;
    this.#ended = ended;
  }

  /** Begins to read, with what came before. */
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

  /** false when the kubelet does not take more for now. */
  write(stream: number, bytes: Buffer): boolean {
    let takesMore = true;
    for (let from = 0; from < bytes.length; from += FRAME_BYTES) {
      const piece = bytes.subarray(from, from + FRAME_BYTES);
      this.#socket.write(dataHead(stream, piece.length, false));
      takesMore = this.#socket.write(piece);
    }
    return takesMore;
  }

  /** This side has no more to say on it. */
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
    // what we have not asked for ourselves is asked of us
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
