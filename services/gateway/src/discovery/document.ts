import { createHash } from 'node:crypto';
import type { JsonObject } from '@tidegate/schema';
import { compress } from '../codec/compress.ts';
import type { CodingName } from '../request/answer-form.ts';

/** An immutable document: its bytes, and the hash that serves as its ETag. */
export class Document {
  readonly contentType: string;
  readonly body: Buffer;
  readonly hash: string;
  readonly #compressed = new Map<CodingName, Buffer | Promise<Buffer>>();

  constructor(contentType: string, value: JsonObject | Buffer) {
    this.contentType = contentType;
    this.body = Buffer.isBuffer(value) ? value : Buffer.from(`${JSON.stringify(value)}\n`);
    this.hash = createHash('sha512').update(this.body).digest('hex').toUpperCase();
  }

  get etag(): string {
    return `"${this.hash}"`;
  }

  compressed(name: CodingName): Buffer | Promise<Buffer> {
    let made = this.#compressed.get(name);
    if (made === undefined) {
      made = compress(name, this.body);
      this.#compressed.set(name, made);
    }
    return made;
  }
}

/**
 * Encodes an OpenAPI document in the Protobuf form that clients of Kubernetes ask for. The descriptors and the encoder
 * are loaded for the first such client: most gateways never need them.
 */
export async function openApiV2Protobuf(document: JsonObject): Promise<Buffer> {
  const { encodeDocument } = await import('./open-api-encoder.ts');
  return encodeDocument('v2', document);
}

export async function openApiV3Protobuf(document: JsonObject): Promise<Buffer> {
  const { encodeDocument } = await import('./open-api-encoder.ts');
  return encodeDocument('v3', document);
}
