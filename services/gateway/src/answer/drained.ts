import type { Writable } from 'node:stream';

/** Writes, and resolves when the stream can take more: false if the client has gone. */
export async function writeDrained(stream: Writable, bytes: Buffer): Promise<boolean> {
  if (!stream.write(bytes) && !isGone(stream)) {
    await new Promise<void>((resolve) => {
      const done = () => {
        stream.off('drain', done);
        stream.off('close', done);
        resolve();
      };
      stream.on('drain', done);
      stream.on('close', done);
    });
  }
  return !isGone(stream);
}

/** A destroyed HTTP/2 response does not report it itself, but its stream does. */
export function isGone(stream: Writable & { readonly stream?: { readonly destroyed: boolean } }): boolean {
  return stream.destroyed || stream.stream?.destroyed === true;
}
