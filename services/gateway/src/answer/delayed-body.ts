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
/** How long the making of a body may hold up others. */
export const TURN_MS = 5;
const SLICE_BYTES = 64 << 10;
const NOTHING = Buffer.alloc(0);

/** A body that begins with its length is held back whole. */
export function delayOf({ frame }: Pick<ListForm, 'frame'>, delayedBytes = DELAYED_BYTES): number {
  return frame === undefined ? delayedBytes : Number.POSITIVE_INFINITY;
}

/**
 * The body of a 200 whose size is not known yet. Up to a MiB, or less, it is held back, so that an error met until then is still
 * told as one; beyond, it is sent as it comes, and never more of it is in memory.
 */
export class DelayedBody {
  readonly #request: ResourceRequest;
  readonly #reply: FastifyReply;
  readonly #delayedBytes: number;
  #turnedAt = performance.now();
  #waiting: Buffer[] = [];
  #bytes = 0;
  #sentBytes = 0;
  #stream: ReturnType<typeof writeHead> | Transform | undefined;

  constructor(request: ResourceRequest, reply: FastifyReply, delayedBytes = DELAYED_BYTES) {
    this.#delayedBytes = delayedBytes;
    this.#request = request;
    this.#reply = reply;
  }

  /** nobody reads any longer */
  get isGone(): boolean {
    return this.#stream !== undefined && isGone(this.#stream);
  }

  /** false when nobody reads any longer */
  async write(bytes: Buffer): Promise<boolean> {
    // what is written may have been made on the way: others get their turn
    if (performance.now() - this.#turnedAt > TURN_MS) {
      await turn();
      this.#turnedAt = performance.now();
    }
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < (this.#stream === undefined ? this.#delayedBytes : SLICE_BYTES)) return true;
    this.#stream ??= this.#begin();
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
    // what a compressor makes of it is not known yet
    if (this.#stream === this.#reply.raw) noteBytes(this.#reply.raw, this.#sentBytes);
    this.#stream.end(body);
  }

  #release(): Buffer {
    const [only = NOTHING] = this.#waiting;
    const bytes = this.#waiting.length < 2 ? only : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    this.#sentBytes += bytes.length;
    return bytes;
  }

  #begin(): ReturnType<typeof writeHead> | Transform {
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
