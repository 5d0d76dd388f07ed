import { once } from 'node:events';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { toRevision } from '@tidegate/revision';
import type { Change, FollowRequest, FollowResponse, LogBatch } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';
import { changeOf, openingParts } from './opening.ts';
import { Sizes } from './sizes.ts';

/** a gateway that leaves more than this unread is disconnected, because unread data fills this process's memory */
const UNREAD_BYTES = 64 << 20;

/** far more than there are kinds */
const MAX_OPEN = 20_000;
/** how often changed sizes of collections are sent */
const SEND_SIZES_MS = 1000;

export type FollowCall = ServerDuplexStream<FollowRequest, FollowResponse>;

/**
 * The stream to one gateway.
 *
 * Invariant: for each opened collection the gateway was sent every change up to the last `through`, in order and once.
 * The changes of a collection that is being opened are sent after its state.
 */
export class Follower {
  readonly #call: FollowCall;
  readonly #collections: Collections;
  readonly #opened = new Set<string>();
  /** collections are opened one after another, so that their parts do not mix */
  #opening: Promise<void> = Promise.resolve();
  #closed = false;
  readonly #sizes: Sizes;
  readonly #sizesTimer: NodeJS.Timeout;
  /** bytes written since the stream's buffer was last empty enough */
  #unread = 0;

  constructor(call: FollowCall, collections: Collections) {
    this.#call = call;
    this.#collections = collections;
    this.#sizes = new Sizes(collections);
    // this message also shows that the stream works
    call.write({ sizes: this.#sizes.changed() });
    this.#sizesTimer = setInterval(() => this.#sendSizes(), SEND_SIZES_MS);
  }

  open(resource: string): void {
    this.#opening = this.#opening.then(() => this.#open(resource)).catch((error: Error) => this.end(error));
  }

  close(resource: string): void {
    this.#opened.delete(resource);
  }

  /** Sends a batch that was applied to the collections. */
  push({ changes, last: through, epoch, committedAtMs = 0 }: LogBatch): void {
    if (this.#opened.size === 0 || this.#closed) return;
    const wanted = changes.filter((change) => this.#opened.has(change.key.resource));
    if (this.#call.write({ changes: wanted, through, epoch, committedAtMs })) this.#unread = 0;
    else for (const change of wanted) this.#unread += change.value.length + 256;
    // the gateway opens a new stream when it reads again; its clients continue from the window
    if (this.#unread > UNREAD_BYTES) this.end(new Error('the gateway does not read its stream'));
  }

  end(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#sizesTimer);
    if (error === undefined) this.#call.end();
    else this.#call.emit('error', error);
  }

  #sendSizes(): void {
    const sizes = this.#sizes.changed();
    if (sizes.length > 0) this.#call.write({ sizes });
  }

  async #open(resource: string): Promise<void> {
    if (this.#opened.has(resource) || this.#closed) return;
    if (this.#opened.size === MAX_OPEN) throw new Error(`a stream follows ${MAX_OPEN} collections at most`);
    const collection = this.#collections.get(resource);
    const snapshot = collection.snapshot();
    let hasRoom = true;
    for (const part of openingParts(resource, collection, snapshot)) {
      if (!hasRoom) await once(this.#call, 'drain');
      if (this.#closed) return;
      hasRoom = this.#call.write(part);
    }
    // The changes since the snapshot are written in the same event-loop turn as the last part, even without room in the
    // buffer. A batch in between would make the gateway believe that it has all changes through that batch's revision.
    const { window } = this.#collections.get(resource);
    const position = window.positionAfter(snapshot.revision);
    if (position === undefined) throw new Error(`${resource} changed faster than it could be sent`);
    const missed: Change[] = [];
    for (let i = position; i < window.end; i++) missed.push(changeOf(resource, window.at(i)));
    this.#opened.add(resource);
    this.#call.write({ changes: missed, through: toRevision(this.#collections.through) });
  }
}
