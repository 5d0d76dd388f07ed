import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes, and resolves when there is room for more: false when nobody reads any longer. */
export async function writeDrained(stream: Writable, bytes: Buffer): Promise<boolean> {
  if (!stream.write(bytes) && !stream.destroyed) {
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
  }
  return !stream.destroyed;
}
