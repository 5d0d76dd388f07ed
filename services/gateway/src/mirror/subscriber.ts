import type { Collection, EventWindow } from '@tidegate/collection';
import { type Revision, revisionText } from '@tidegate/revision';
import { type ApiError, expired } from '@tidegate/status';
import type { Frames, LateSlice } from '../codec/event-frames.ts';

/** Where a subscriber writes: an HTTP response of either version. */
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
  /** events after this revision */
  after: Revision;
  frames: Frames;
  /** the client asked for bookmarks */
  bookmarks: boolean;
  sink: Sink;
  /** counts what is written */
  events: { inc(count: number): void };
}

const SLICE_BYTES = 64 << 10;

/**
 * One watcher.
 *
 * Invariant: `#after` is the revision through which this client has been sent everything it selected. A client whose
 * socket is full is parked: it holds no bytes but those in the socket, and goes on from the window when it drains.
 * When the window has moved past it, it is told so (410) and its stream ends.
 *
 *   active --socket full--> parked --drain--> active --window passed it, or the watch is over--> ended
 *   active --the next events are being converted--> waiting --they are--> active
 */
export class Subscriber {
  readonly #options: SubscriberOptions;
  /** news are waiting for it */
  woken = false;
  #after: Revision;
  /** the next event's place in the window; undefined: look it up by revision */
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

  /** Writes what the window holds beyond this client's place, slice by slice while its socket takes it. */
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
        // a version of the future has no place yet: what comes up to it is not for this client
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
    // its time may be over by now
    if (this.#state !== 'waiting') return;
    this.#state = 'active';
    this.#position = this.#options.mirror.collection?.window === window ? end : undefined;
    if (through !== undefined) this.#after = through;
    if (bytes.length > 0) this.#write(bytes, count);
    if (failure === undefined) this.pump();
    else this.fail(failure);
  }

  /** The mirror was rebuilt: places in the old window mean nothing in the new one. */
  moved(): void {
    this.#position = undefined;
    this.pump();
  }

  /** Everything through the collection's revision has been sent: a client may resume from there. */
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

  /** Nothing true can be sent from here on. */
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
