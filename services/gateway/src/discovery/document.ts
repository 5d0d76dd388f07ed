import { createHash } from 'node:crypto';
import type { JsonObject } from '@tidegate/schema';
import { gzip } from '../codec/gzip.ts';

/** A document that does not change: its bytes, made once, and the hash by which clients know that they have it. */
export class Document {
  readonly contentType: string;
  readonly body: Buffer;
  readonly hash: string;
  #gzipped: Buffer | Promise<Buffer> | undefined;

  constructor(contentType: string, value: JsonObject | Buffer) {
    this.contentType = contentType;
    this.body = Buffer.isBuffer(value) ? value : Buffer.from(`${JSON.stringify(value)}\n`);
    this.hash = createHash('sha512').update(this.body).digest('hex').toUpperCase();
  }

  get etag(): string {
    return `"${this.hash}"`;
  }

  gzipped(): Buffer | Promise<Buffer> {
    this.#gzipped ??= gzip(this.body);
    return this.#gzipped;
  }
}
