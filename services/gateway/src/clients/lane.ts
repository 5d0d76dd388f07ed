import type { Client, ClientDuplexStream, MethodDefinition } from '@grpc/grpc-js';
import { cancelCall, type Retry } from '@tidegate/service-kit';
import { ApiError, type Status, serviceUnavailable, timeout } from '@tidegate/status';
import { type SessionRequest, type SessionResponse, store } from '@tidegate/wire';

/** An item that waits to be sent in a message, and then for its answer. */
interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly deadline: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  sent: boolean;
}

interface LaneOptions<Item, Answer> {
  /** the client of the store in use; failed() switches to the next store */
  client: () => Client;
  failed: () => void;
  /** puts items into a message */
  pack: (items: readonly Item[]) => Omit<SessionRequest, 'id'>;
  unpack: (response: SessionResponse, count: number) => readonly Answer[];
  size: (item: Item) => number;
  /** the items are writes: once sent, their outcome is unknown, and a failure is 504 instead of 503 */
  changes: boolean;
  timeoutMs: number;
  /** a store that does not answer for this long is abandoned, and the message goes to the next one */
  answerMs: number;
  retried: () => void;
  /** the backoff while no store answers */
  retry: Retry;
  /** called for every answer, including refusals of a message */
  answered?: (response: SessionResponse) => void;
}

/** gathering ends after this many turns of the event loop */
const MAX_TURNS = 16;
/** the share of just answered clients for whose next request the lane waits */
const SHARE = 0.9;
const MAX_ITEMS = 256;
const MAX_BYTES = 2 << 20;
/**
 * Unsent writes wait this long behind an unanswered message, and longer behind a large one; then clients get 503 instead
 * of waiting longer.
 */
const BEHIND_MS = 1000;
/** A slow store still writes this many bytes in a millisecond. */
const BYTES_PER_MS = 1024;
const LOOK_MS = 250;

/**
 * Batches small requests into messages on one open stream.
 *
 * Invariant: at most one message is in flight; requests that arrive meanwhile form the next one. Every item is answered
 * exactly once: with its outcome, or with an error at its deadline. When the stream breaks, or the store is silent for
 * too long, the items in flight are sent again, first, on the next stream; a write keeps its operation id, by which the
 * store recognizes it.
 */
export class Lane<Item, Answer> {
  readonly #options: LaneOptions<Item, Answer>;
  #queue: Array<Waiting<Item, Answer>> = [];
  #flight: Array<Waiting<Item, Answer>> = [];
  #flightId = 0;
  /** how many requests are likely to follow: a share of those that were answered last */
  #expected = 0;
  #call: ClientDuplexStream<SessionRequest, SessionResponse> | undefined;
  #silence: NodeJS.Timeout | undefined;
  #scheduled = false;
  #closed = false;

  constructor(options: LaneOptions<Item, Answer>) {
    this.#options = options;
  }

  get connected(): boolean {
    return this.#call !== undefined;
  }

  send(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#options.timeoutMs;
      this.#queue.push({ item, deadline, resolve, reject, sent: false });
      this.#schedule();
    });
  }

  close(): void {
    this.#closed = true;
    this.#call?.end();
  }

  /**
   * Sends after this turn of the event loop, or later while each turn brings more requests, so that simultaneous
   * requests share a message. Clients that were just answered are likely to send again at once: the lane waits some
   * empty turns for them, too, a tenth of a millisecond at most.
   */
  #schedule(): void {
    if (this.#scheduled || this.#flight.length > 0) return;
    this.#scheduled = true;
    this.#gather(this.#queue.length, MAX_TURNS);
  }

  #gather(seen: number, turnsLeft: number): void {
    setImmediate(() => {
      const waiting = this.#queue.length;
      if (turnsLeft > 0 && (waiting > seen || waiting < this.#expected)) {
        this.#gather(waiting, turnsLeft - 1);
        return;
      }
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#flight.length > 0 || this.#queue.length === 0 || this.#closed) return;
    const { items, bytes } = this.#take();
    this.#flight = items;
    const call = this.#open();
    const unknown = items[0]?.sent === true;
    for (const waiting of items) waiting.sent = true;
    const rejectUnsentAfterMs = unknown ? 0 : BEHIND_MS + bytes / BYTES_PER_MS;
    this.#await(call, { since: performance.now(), rejectUnsentAfterMs });
    call.write({ id: ++this.#flightId, ...this.#options.pack(items.map((waiting) => waiting.item)) });
  }

  #await(
    call: ClientDuplexStream<SessionRequest, SessionResponse>,
    flight: { since: number; rejectUnsentAfterMs: number },
  ): void {
    this.#silence = setTimeout(
      () => {
        const silentMs = performance.now() - flight.since;
        if (silentMs >= this.#options.answerMs) return this.#silent(call);
        if (this.#options.changes && silentMs >= flight.rejectUnsentAfterMs) this.#rejectUnsent();
        this.#await(call, flight);
      },
      Math.min(LOOK_MS, this.#options.answerMs),
    );
  }

  /** Rejects writes that were not sent and so certainly not executed. */
  #rejectUnsent(): void {
    const latest = performance.now() + this.#options.timeoutMs - BEHIND_MS;
    const late = this.#queue.filter((waiting) => !waiting.sent && waiting.deadline <= latest);
    if (late.length === 0) return;
    this.#queue = this.#queue.filter((waiting) => !late.includes(waiting));
    for (const waiting of late) waiting.reject(serviceUnavailable('the storage cannot be reached, please try again'));
  }

  /** Takes the next message's items. Resent items get their own message, because an unknown outcome applies to a whole message. */
  #take(): { items: Array<Waiting<Item, Answer>>; bytes: number } {
    let count = 0;
    let bytes = 0;
    const sent = this.#queue[0]?.sent;
    while (
      count < this.#queue.length &&
      this.#queue[count]?.sent === sent &&
      count < MAX_ITEMS &&
      (count === 0 || bytes < MAX_BYTES)
    ) {
      bytes += this.#options.size((this.#queue[count] as Waiting<Item, Answer>).item);
      count++;
    }
    if (count < this.#queue.length) return { items: this.#queue.splice(0, count), bytes };
    const items = this.#queue;
    this.#queue = [];
    return { items, bytes };
  }

  #open(): ClientDuplexStream<SessionRequest, SessionResponse> {
    if (this.#call !== undefined) return this.#call;
    const { path, requestSerialize, responseDeserialize } = store.session as MethodDefinition<
      SessionRequest,
      SessionResponse
    >;
    const call = this.#options.client().makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#call = call;
    call.on('data', (response: SessionResponse) => {
      if (this.#call === call && response.id === this.#flightId) this.#answered(response);
    });
    call.on('error', () => this.#broken(call));
    call.on('end', () => this.#broken(call));
    return call;
  }

  #silent(call: ClientDuplexStream<SessionRequest, SessionResponse>): void {
    this.#broken(call);
    cancelCall(call);
  }

  #answered(response: SessionResponse): void {
    clearTimeout(this.#silence);
    this.#options.retry.succeeded();
    this.#options.answered?.(response);
    const items = this.#flight;
    this.#flight = [];
    this.#expected = items.length * SHARE;
    if (response.error.length > 0) this.#refused(items, response);
    else {
      const answers = this.#options.unpack(response, items.length);
      for (let i = 0; i < items.length; i++) (items[i] as Waiting<Item, Answer>).resolve(answers[i] as Answer);
    }
    if (this.#queue.length > 0) this.#schedule();
  }

  #refused(items: Array<Waiting<Item, Answer>>, response: SessionResponse): void {
    const error = ApiError.fromStatus(JSON.parse(Buffer.from(response.error).toString('utf8')) as Status);
    // the outcome is unknown: sending the write again reveals it
    if (error.code === 504 && this.#options.changes) this.#again(items);
    else for (const waiting of items) waiting.reject(error);
  }

  /** Another lane has found that the store is gone: sends the items in flight to the next store now. */
  moveOn(): void {
    const call = this.#call;
    if (call === undefined) return;
    this.#leave(call);
    cancelCall(call);
  }

  #broken(call: ClientDuplexStream<SessionRequest, SessionResponse>): void {
    if (this.#call !== call) return;
    this.#options.failed();
    this.#leave(call);
  }

  #leave(call: ClientDuplexStream<SessionRequest, SessionResponse>): void {
    if (this.#call !== call) return;
    this.#call = undefined;
    clearTimeout(this.#silence);
    const items = this.#flight;
    this.#flight = [];
    this.#again(items);
  }

  #again(items: Array<Waiting<Item, Answer>>): void {
    const now = performance.now();
    const alive: Array<Waiting<Item, Answer>> = [];
    for (const waiting of [...items, ...this.#queue]) {
      if (waiting.deadline > now && !this.#closed) {
        alive.push(waiting);
      } else if (waiting.sent && this.#options.changes) waiting.reject(timeout());
      else waiting.reject(serviceUnavailable('the store cannot be reached, please try again'));
    }
    this.#queue = alive;
    if (items.length > 0) this.#options.retried();
    if (alive.length === 0) return;
    const why = new Error('a message to the store was not answered');
    setTimeout(() => this.#schedule(), this.#options.retry.failedNow(why));
  }
}
