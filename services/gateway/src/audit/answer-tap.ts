import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Written } from './bodies.ts';

/** A copy of what is written to a response. */
export interface AnswerTap {
  /** undefined: the answer is too large */
  readonly written: Written | undefined;
  readonly isTooLong: boolean;
}

type Rest = [encoding?: BufferEncoding | (() => void), done?: () => void];

/** Copies what is written to a response, up to a size. */
export function tapAnswer(raw: ServerResponse, maxBytes: number): AnswerTap {
  const tap = new Tap(maxBytes);
  const { write, end, writeHead } = raw;
  const take = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string') tap.take(Buffer.from(chunk, encoding as BufferEncoding));
    else if (chunk instanceof Uint8Array) tap.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  };
  raw.write = ((chunk: unknown, ...rest: Rest) => {
    take(chunk, rest[0]);
    return write.call(raw, chunk, ...(rest as [BufferEncoding]));
  }) as typeof raw.write;
  raw.end = ((chunk: unknown, ...rest: Rest) => {
    take(chunk, rest[0]);
    return end.call(raw, chunk, ...(rest as [BufferEncoding]));
  }) as typeof raw.end;
  raw.writeHead = ((code: number, headers: string[] | OutgoingHttpHeaders) => {
    tap.headers = headers;
    return writeHead.call(raw, code, headers as string[]);
  }) as typeof raw.writeHead;
  return tap;
}

class Tap implements AnswerTap {
  headers: string[] | OutgoingHttpHeaders = {};
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTooLong(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  get written(): Written | undefined {
    if (this.isTooLong) return undefined;
    return {
      bytes: Buffer.concat(this.#parts),
      contentType: this.#header('content-type'),
      contentEncoding: this.#header('content-encoding'),
    };
  }

  take(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.isTooLong) this.#parts = [];
    else this.#parts.push(bytes);
  }

  /** Headers are an object, or a list of alternating names and values. */
  #header(name: string): string {
    const { headers } = this;
    const pairs = Array.isArray(headers)
      ? headers.flatMap((key, i) => (i % 2 === 0 ? [[String(key), headers[i + 1]] as const] : []))
      : Object.entries(headers);
    const [, value = ''] = pairs.find(([key]) => key.toLowerCase() === name) ?? [];
    return String(value);
  }
}
