import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Sink } from '../mirror/subscriber.ts';

/** The same bytes go to many sockets, so their chunk is built once. */
const chunks = new WeakMap<Buffer, Buffer>();
const LINE_END = '\r\n';

/**
 * Writes the events of a watch. In HTTP/1.1 each chunk is written to the socket in one piece; through the response it
 * would be three writes. The response still begins and ends the body. What was written to the response in the current
 * event-loop turn is held back until the next one, and no event may overtake that.
 */
export function watchSink(raw: ServerResponse): Sink {
  const { socket } = raw;
  const direct = raw.req.httpVersionMajor === 1 && raw.chunkedEncoding && socket !== null;
  if (!direct) {
    return new ResponseSink(raw);
  }
  return new ChunkSink(raw, socket);
}

/** Classes and not closures, because ten thousand watches have one each. */
class ResponseSink implements Sink {
  protected readonly raw: ServerResponse;

  constructor(raw: ServerResponse) {
    this.raw = raw;
  }

  write(bytes: Buffer): boolean {
    return this.raw.write(bytes);
  }

  onDrain(run: () => void): void {
    this.raw.on('drain', run);
  }

  end(): void {
    if (!this.raw.writableEnded) this.raw.end();
  }
}

class ChunkSink extends ResponseSink {
  readonly #socket: Socket;

  constructor(raw: ServerResponse, socket: Socket) {
    super(raw);
    this.#socket = socket;
  }

  override write(bytes: Buffer): boolean {
    // bytes that the response still holds back must go first
    return this.raw.writableCorked > 0 ? this.raw.write(bytes) : this.#socket.write(chunkOf(bytes));
  }

  override onDrain(run: () => void): void {
    const socket = this.#socket;
    super.onDrain(run);
    socket.on('drain', run);
    this.raw.on('close', () => socket.off('drain', run));
  }
}

function chunkOf(bytes: Buffer): Buffer {
  let chunk = chunks.get(bytes);
  if (chunk === undefined) {
    const head = bytes.length.toString(16) + LINE_END;
    chunk = Buffer.allocUnsafe(head.length + bytes.length + LINE_END.length);
    chunk.write(head, 0, 'latin1');
    chunk.set(bytes, head.length);
    chunk.write(LINE_END, head.length + bytes.length, 'latin1');
    chunks.set(bytes, chunk);
  }
  return chunk;
}
