import type { Writable } from 'node:stream';

/** Writes, and resolves when there is room for more: false when nobody reads any longer. */
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

/** An answer over HTTP/2 does not say itself that it was destroyed; its stream does. */
export function isGone(stream: Writable & { readonly stream?: { readonly destroyed: boolean } }): boolean {
  return stream.destroyed || stream.stream?.destroyed === true;
}
