import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { type Deflated, deflatedText } from './deflated.ts';

/**
 * Deflates texts outside the event loop, one after the other, at the lowest level.
 *
 * One stream is kept for all texts, because a new stream costs as much as deflating 10 KiB. A full flush ends each
 * text: its bytes end at a byte, and later texts do not refer back to it.
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
    // its own caller gets the error; the next caller only waits for its end
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
        // the rest of the stream's buffer also arrives as 'data'
        while (this.#stream.read() !== null);
        const parts = this.#parts;
        this.#parts = [];
        resolve(deflatedText(text, Buffer.concat(parts)));
      });
    });
  }
}
