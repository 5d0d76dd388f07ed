import type { ServerResponse } from 'node:http';
import type { Sink } from '../mirror/subscriber.ts';

/** The same bytes go to many sockets: their chunk is made once. */
const chunks = new WeakMap<Buffer, Buffer>();
const LINE_END = '\r\n';

/**
 * Where a watch's events go. In HTTP/1.1 a chunk is written to the socket as one piece: through the response it would be
 * three, each with its own way through the stream. The response itself still begins and ends the body. What it was given
 * in this turn it holds back until the next one: nothing may overtake that.
 */
export function watchSink(raw: ServerResponse): Sink {
  const { socket } = raw;
  const direct = raw.req.httpVersionMajor === 1 && raw.chunkedEncoding && socket !== null;
  if (!direct) {
    return { write: (bytes) => raw.write(bytes), onDrain: (run) => raw.on('drain', run), end: () => endOf(raw) };
  }
  return {
    write: (bytes) => (raw.writableCorked > 0 ? raw.write(bytes) : socket.write(chunkOf(bytes))),
    onDrain: (run) => {
      raw.on('drain', run);
      socket.on('drain', run);
      raw.once('close', () => socket.off('drain', run));
    },
    end: () => endOf(raw),
  };
}

function endOf(raw: ServerResponse): void {
  if (!raw.writableEnded) raw.end();
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
