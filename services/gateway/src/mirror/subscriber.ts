import type { Collection, EventWindow } from '@tidegate/collection';
import { type Revision, revisionText } from '@tidegate/revision';
import { type ApiError, expired } from '@tidegate/status';
import type { Frames, LateSlice } from '../codec/event-frames.ts';

/** The output of a subscriber: a response of HTTP/1.1 or HTTP/2. */
export interface Sink {
  /** false when the socket is full */
  write(bytes: Buffer): boolean;
  onDrain(run: () => void): void;
  end(): void;
}

/** The mirror of a subscriber. */
interface Source {
  readonly collection: Collection | undefined;
  readonly subscribers: { delete(subscriber: Subscriber): unknown };
}

interface SubscriberOptions {
  mirror: Source;
  /** the watch gets events after this revision */
  after: Revision;
  frames: Frames;
  /** whether the client asked for bookmarks */
  bookmarks: boolean;
  sink: Sink;
  /** counts the written events */
  events: { inc(count: number): void };
}

const SLICE_BYTES = 64 << 10;

/**
 * One watch.
 *
 * Invariant: this client was sent every selected event through the revision `#after`. A subscriber whose socket is full
 * is parked: it holds no bytes except those in the socket, and continues from the window when the socket drains. When
 * the window has moved past it, the client gets 410 and the stream ends.
 *
 *   active --socket full--> parked --drain--> active --window passed it, or the watch is over--> ended
 *   active --the next events are being converted--> waiting --they are--> active
 */
export class Subscriber {
  readonly #options: SubscriberOptions;
  /** a wakeup is pending */
  woken = false;
  #after: Revision;
  /** the next event's position in the window; undefined: to be found by revision */
  #position: number | undefined;
  #state: 'active' | 'parked' | 'waiting' | 'ended' = 'active';

  constructor(options: SubscriberOptions) {
    this.#options = options;
    this.#after = options.after;
    options.sink.onDrain(() => {
      if (this.#state !== 'parked') return;
      this.#state = 'active';
      this.pump();
    });
  }

  /** Writes the events after this client's position, slice by slice, until the socket is full. */
  pump(): void {
    const { mirror, frames } = this.#options;
    const { collection } = mirror;
    while (this.#state === 'active' && collection !== undefined) {
      const { window } = collection;
      const position = this.#position ?? window.positionAfter(this.#after);
      if (position === undefined || position < window.start) {
        this.#fallenBehind(window.floor);
        return;
      }
      if (position >= window.end) {
        // a future revision has no position yet: events up to it are not for this client
        this.#position = collection.through >= this.#after ? position : undefined;
        return;
      }
      const slice = frames.slice(window, position, SLICE_BYTES);
      if (slice instanceof Promise) {
        this.#state = 'waiting';
        void slice.then((late) => this.#arrived(late, window));
        return;
      }
      this.#position = slice.end;
      this.#after = window.at(slice.end - 1).revision;
      if (slice.bytes.length > 0) this.#write(slice.bytes, slice.count);
    }
  }

  #arrived({ bytes, count, end, through, failure }: LateSlice, window: EventWindow): void {
    // the watch may have ended meanwhile
    if (this.#state !== 'waiting') return;
    this.#state = 'active';
    this.#position = this.#options.mirror.collection?.window === window ? end : undefined;
    if (through !== undefined) this.#after = through;
    if (bytes.length > 0) this.#write(bytes, count);
    if (failure === undefined) this.pump();
    else this.fail(failure);
  }

  /** The mirror was rebuilt, and positions in the old window are invalid. */
  moved(): void {
    this.#position = undefined;
    this.pump();
  }

  /** Sends a bookmark when everything through the collection's revision has been sent. */
  bookmark(): void {
    const { mirror, frames } = this.#options;
    const { collection } = mirror;
    this.pump();
    if (
      !this.#options.bookmarks ||
      this.#state !== 'active' ||
      collection === undefined ||
      this.#position !== collection.window.end
    )
      return;
    if (collection.through > this.#after) this.#after = collection.through;
    this.#write(frames.bookmark(revisionText(this.#after)), 0);
  }

  /** Sends an error and ends the watch. */
  fail(error: ApiError): void {
    if (this.#state === 'ended') return;
    this.#write(this.#options.frames.error(error.status), 0);
    this.end();
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#options.mirror.subscribers.delete(this);
    this.#options.sink.end();
  }

  #write(bytes: Buffer, count: number): void {
    this.#options.events.inc(count);
    if (!this.#options.sink.write(bytes) && this.#state === 'active') this.#state = 'parked';
  }

  #fallenBehind(floor: Revision): void {
    this.fail(expired(`too old resource version: ${revisionText(this.#after)} (${revisionText(floor)})`));
  }
}
