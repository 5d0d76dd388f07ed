import type { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { compressor } from '../codec/compress.ts';
import type { ListForm, ListMetadata } from '../codec/list-shape.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { noteBytes } from '../telemetry/request-metrics.ts';
import { isGone, writeDrained } from './drained.ts';
import { codingHeader, writeAnswer, writeHead } from './write-answer.ts';

const DELAYED_BYTES = 1 << 20;
/** How long a body may be written without yielding to the event loop. */
export const MAX_BLOCK_MS = 5;
const SLICE_BYTES = 64 << 10;
const EMPTY = Buffer.alloc(0);

/** A body that begins with its own length must be complete before the first byte is sent. */
export function delayOf({ frame }: Pick<ListForm, 'frame'>, delayedBytes = DELAYED_BYTES): number {
  return frame === undefined ? delayedBytes : Number.POSITIVE_INFINITY;
}

/**
 * The body of a 200 whose size is not known yet. It is held back up to 1 MiB (or `delayedBytes`), so that an earlier
 * error can still be sent as an error. Beyond that it is streamed, and no more than that is in memory.
 */
export class DelayedBody {
  readonly #request: ResourceRequest;
  readonly #reply: FastifyReply;
  readonly #delayedBytes: number;
  #yieldedAt = performance.now();
  #waiting: Buffer[] = [];
  #bytes = 0;
  #sentBytes = 0;
  #stream: ReturnType<typeof writeHead> | Transform | undefined;

  constructor(request: ResourceRequest, reply: FastifyReply, delayedBytes = DELAYED_BYTES) {
    this.#delayedBytes = delayedBytes;
    this.#request = request;
    this.#reply = reply;
  }

  /** the client has gone */
  get isGone(): boolean {
    return this.#stream !== undefined && isGone(this.#stream);
  }

  /** Returns false if the client has gone. */
  async write(bytes: Buffer): Promise<boolean> {
    // encoding may have taken long: yield to other requests
    if (performance.now() - this.#yieldedAt > MAX_BLOCK_MS) {
      await turn();
      this.#yieldedAt = performance.now();
    }
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < (this.#stream === undefined ? this.#delayedBytes : SLICE_BYTES)) return true;
    this.#stream ??= this.#startStream();
    return writeDrained(this.#stream, this.#release());
  }

  async end({ frame }: Pick<ListForm, 'frame'> = {}, metadata: ListMetadata = { resourceVersion: '' }): Promise<void> {
    if (frame !== undefined) {
      const { head, tail } = frame(this.#bytes, metadata);
      this.#waiting = [head, ...this.#waiting, tail];
    }
    const body = this.#release();
    if (this.#stream === undefined) {
      await writeAnswer(this.#request, this.#reply, { code: 200, body });
      return;
    }
    // the compressed size is not known here
    if (this.#stream === this.#reply.raw) noteBytes(this.#reply.raw, this.#sentBytes);
    this.#stream.end(body);
  }

  #release(): Buffer {
    const [only = EMPTY] = this.#waiting;
    const bytes = this.#waiting.length < 2 ? only : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    this.#sentBytes += bytes.length;
    return bytes;
  }

  #startStream(): ReturnType<typeof writeHead> | Transform {
    const { name } = this.#request.coding;
    const headers = name === undefined ? [] : codingHeader(name);
    const raw = writeHead(this.#request, this.#reply, { code: 200, headers });
    if (name === undefined) return raw;
    const stream = compressor(name);
    stream.pipe(raw);
    raw.once('close', () => stream.destroy());
    return stream;
  }
}
