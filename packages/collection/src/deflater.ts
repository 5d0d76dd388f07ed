import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { type Deflated, deflatedText } from './deflated.ts';

/**
 * Deflates texts off the main loop, one after the other, at the lowest level.
 *
 * One stream is kept for all, because making one costs as much as deflating 10 KiB. Each text is ended by a full flush:
 * its bytes end at a byte, and nothing after it refers back to it.
 */
export class Deflater {
  readonly #stream: DeflateRaw = createDeflateRaw({
    level: constants.Z_BEST_SPEED,
    flush: constants.Z_FULL_FLUSH,
    chunkSize: 64 << 10,
  });
  #parts: Buffer[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#stream.on('data', (part: Buffer) => this.#parts.push(part));
  }

  deflate(text: Buffer): Promise<Deflated> {
    const deflated = this.#last.then(() => this.#write(text));
    // its caller gets the error; whoever comes next only waits for its end
    this.#last = deflated.catch(() => undefined);
    return deflated;
  }

  close(): void {
    this.#stream.destroy();
  }

  #write(text: Buffer): Promise<Deflated> {
    if (text.length === 0) return Promise.resolve(deflatedText(text, text));
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => {
        if (error) return reject(error);
        // what is still in the stream's buffer comes out as 'data', too
        while (this.#stream.read() !== null);
        const parts = this.#parts;
        this.#parts = [];
        resolve(deflatedText(text, Buffer.concat(parts)));
      });
    });
  }
}
