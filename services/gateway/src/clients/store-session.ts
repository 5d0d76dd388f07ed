import { randomFillSync } from 'node:crypto';
import type { MethodDefinition } from '@grpc/grpc-js';
import { type Kit, Replicas, type Retries } from '@tidegate/service-kit';
import { serviceUnavailable } from '@tidegate/status';
import {
  type DeleteCorruptRequest,
  type DeleteCorruptResponse,
  fromServiceError,
  type Key,
  type ListPage,
  type ListRequest,
  type LogBatch,
  type ReadLogRequest,
  type ReadOutcome,
  type SessionResponse,
  store,
  type Write,
  type WriteOutcome,
} from '@tidegate/wire';
import { Lane } from './lane.ts';
import { restOfList, restOfLog, storeStream } from './store-stream.ts';

interface StoreSessionOptions {
  addresses: readonly string[];
  credentials: ReturnType<Kit['credentials']['client']>;
  retries: Retries;
  retried: () => void;
  /** called when a broken stream is resumed */
  resumed: () => void;
}

/** Larger writes use a separate lane, so that small ones do not wait behind them. */
const LARGE_BYTES = 64 << 10;
const PAUSES = { firstMs: 50, longestMs: 500 };

/**
 * The gateway's client of the stores: consistent reads, the current revision, and writes, each batched into messages.
 * Writes that wait longer than a request may last are answered with 504, everything else with 503.
 */
export class StoreSession {
  readonly #stores: Replicas;
  readonly #reads: Lane<Key, ReadOutcome>;
  readonly #heads: Lane<null, number>;
  readonly #writes: Lane<Write, WriteOutcome>;
  readonly #largeWrites: Lane<Write, WriteOutcome>;
  readonly #resumed: () => void;
  readonly #firstSent = new WeakMap<Write, number>();
  /** the newest revision in any answer */
  #known = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #busTrouble = '';

  constructor(options: StoreSessionOptions) {
    const { addresses: names, credentials } = options;
    this.#stores = new Replicas({ names, credentials, moved: () => this.#moveOn() });
    this.#resumed = options.resumed;
    const shared = {
      client: () => this.#stores.client(),
      failed: () => this.#turnToNext(),
      retried: options.retried,
    };
    this.#reads = new Lane<Key, ReadOutcome>({
      ...shared,
      retry: options.retries.loop('read objects', PAUSES),
      pack: (reads) => ({ reads: reads as Key[] }),
      unpack: (response) => response.reads,
      size: () => 100,
      changes: false,
      timeoutMs: 5_000,
      answerMs: 1_500,
    });
    this.#heads = new Lane<null, number>({
      ...shared,
      retry: options.retries.loop('ask for the revision', PAUSES),
      pack: () => ({ head: true }),
      unpack: (response, count) => {
        this.#known = Math.max(this.#known, response.revision);
        return new Array<number>(count).fill(response.revision);
      },
      size: () => 0,
      changes: false,
      timeoutMs: 5_000,
      answerMs: 1_500,
      answered: ({ busTrouble }) => {
        this.#answeredAt = performance.now();
        this.#busTrouble = busTrouble ?? '';
      },
    });
    const writes = {
      ...shared,
      pack: (items: readonly Write[]) => ({ writes: items.map((write) => this.#stamped(write)) }),
      unpack: (response: SessionResponse) => {
        for (const outcome of response.writes) this.#known = Math.max(this.#known, outcome.revision);
        return response.writes;
      },
      size: sizeOf,
      changes: true,
      timeoutMs: 30_000,
      // longer than the store itself tries to learn the outcome of a commit
      answerMs: 12_000,
    };
    this.#writes = new Lane<Write, WriteOutcome>({ ...writes, retry: options.retries.loop('write objects', PAUSES) });
    const retry = options.retries.loop('write large objects', PAUSES);
    this.#largeWrites = new Lane<Write, WriteOutcome>({ ...writes, retry });
  }

  /** A store that does not answer one lane does not answer the others; every store recognizes a write by its id. */
  #turnToNext(): void {
    this.#stores.next();
    this.#answeredAt = Number.NEGATIVE_INFINITY;
    if (this.#stores.count > 1) this.#moveLanes();
  }

  /** The last answer came from another store and says nothing about the new one. */
  #moveOn(): void {
    this.#answeredAt = Number.NEGATIVE_INFINITY;
    this.#moveLanes();
  }

  #moveLanes(): void {
    for (const lane of [this.#reads, this.#heads, this.#writes, this.#largeWrites]) lane.moveOn();
  }

  /** A resent write carries the revision known at its first attempt: the log must still reach back to it. */
  #stamped(write: Write): Write {
    const first = this.#firstSent.get(write);
    if (first !== undefined) return { ...write, sentAfter: first };
    this.#firstSent.set(write, this.#known);
    return write;
  }

  /** When the store in use last answered a request for the current revision, even with an error. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** The bus trouble that the last answering store reports. */
  get busTrouble(): string | undefined {
    return this.#busTrouble === '' ? undefined : this.#busTrouble;
  }

  /** The current object. */
  async read(key: Key): Promise<ReadOutcome> {
    for (;;) {
      const outcome = await this.#reads.send(key);
      // the objects of its message were too large together
      if (!outcome.again) return outcome;
    }
  }

  /** A separate call, because it is rare. */
  deleteCorrupt(request: DeleteCorruptRequest): Promise<DeleteCorruptResponse> {
    const { path, requestSerialize, responseDeserialize } = store.deleteCorrupt as MethodDefinition<
      DeleteCorruptRequest,
      DeleteCorruptResponse
    >;
    const client = this.#stores.client();
    const deadline = Date.now() + 30_000;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, { deadline }, (error, response) => {
        if (error === null) resolve(response as DeleteCorruptResponse);
        else reject(fromServiceError(error) ?? serviceUnavailable('the store cannot be reached, please try again'));
      });
    });
  }

  /** Objects at exactly one revision, in key order. Below the floor: Expired. */
  list(request: ListRequest): AsyncGenerator<ListPage> {
    return this.#stream(store.list as MethodDefinition<ListRequest, ListPage>, request, restOfList);
  }

  /** The changes of a resource ("" for all) in a range of revisions. Below the floor: Expired. */
  readLog(request: ReadLogRequest): AsyncGenerator<LogBatch> {
    return this.#stream(store.readLog as MethodDefinition<ReadLogRequest, LogBatch>, request, restOfLog);
  }

  /** The current revision, read after this call. */
  head(): Promise<number> {
    return this.#heads.send(null);
  }

  write(write: Write): Promise<WriteOutcome> {
    return (sizeOf(write) > LARGE_BYTES ? this.#largeWrites : this.#writes).send(write);
  }

  close(): void {
    for (const lane of [this.#reads, this.#heads, this.#writes, this.#largeWrites]) lane.close();
    this.#stores.close();
  }

  #stream<Request, Response>(
    method: MethodDefinition<Request, Response>,
    request: Request,
    rest: (request: Request, response: Response) => Request | undefined,
  ): AsyncGenerator<Response> {
    return storeStream({ client: this.#stores.rotation(), method, request, rest, resumed: this.#resumed });
  }
}

function sizeOf({ value, joined }: Write): number {
  const own = 200 + (value?.length ?? 0);
  return joined === undefined ? own : joined.reduce((sum, write) => sum + sizeOf(write), own);
}

const pool = Buffer.allocUnsafe(10 * 512);
let used = pool.length;

/** 16 bytes: the time in milliseconds, then 80 random bits. Time first, so that the log's index grows at its edge. */
export function operationId(now = Date.now()): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = Buffer.allocUnsafe(16);
  id.writeUIntBE(now, 0, 6);
  pool.copy(id, 6, used, used + 10);
  used += 10;
  return id;
}
