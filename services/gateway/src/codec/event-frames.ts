import { type CollectionEvent, type EventWindow, eventKind, type Item } from '@tidegate/collection';
import { metaSchemas } from '@tidegate/kinds';
import type { Revision } from '@tidegate/revision';
import type { JsonObject } from '@tidegate/schema';
import type { ApiError, Status } from '@tidegate/status';
import type { Selection } from '../request/selection.ts';
import { type ObjectForm, withoutEnd } from './object-form.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Encodes events for all watchers of one collection that use the same selection and form. */
export interface Frames {
  /** a promise where encoding has to wait, for example for a conversion */
  slice(window: EventWindow, start: number, maxBytes: number): Slice | Promise<LateSlice>;
  bookmark(resourceVersion: string, endsInitialEvents?: boolean): Buffer;
  error(status: Status): Buffer;
}

/** A slice that was encoded asynchronously: the window may have moved on since it was requested. */
export interface LateSlice extends Slice {
  /** revision of the last event examined; undefined: there was none */
  readonly through: Revision | undefined;
  /** why the next event cannot be encoded */
  readonly failure: ApiError | undefined;
}

export interface Slice {
  bytes: Buffer;
  /** the position after the last event examined */
  end: number;
  /** the number of events in the bytes */
  count: number;
}

/** Frames of unchanged (plain) events, encoded once for all watches, whatever these select. */
const plainFrames: Readonly<Record<EventType, WeakMap<CollectionEvent, Buffer>>> = {
  ADDED: new WeakMap(),
  MODIFIED: new WeakMap(),
  DELETED: new WeakMap(),
};

interface KeptSlice extends Slice {
  readonly start: number;
  readonly maxBytes: number;
}

/** While events arrive, the watchers are at only a few different positions. */
const KEPT_SLICES = 4;

/**
 * Encodes a window's events for one kind of watch (its selection and its form). It is shared by all watches of that
 * kind, so each frame is encoded once.
 */
export class EventFrames implements Frames {
  readonly #selection: Selection;
  readonly #form: ObjectForm;
  #window: EventWindow | undefined;
  #kept: KeptSlice[] = [];

  constructor(selection: Selection, form: ObjectForm) {
    this.#selection = selection;
    this.#form = form;
  }

  /** The selected events from a position on, up to a size. */
  slice(window: EventWindow, start: number, maxBytes: number): Slice {
    if (window !== this.#window) {
      this.#window = window;
      this.#kept = [];
    }
    const { end } = window;
    const ready = this.#kept.find(
      (kept) => kept.start === start && (kept.end === end || kept.bytes.length >= kept.maxBytes),
    );
    if (ready !== undefined) return ready;
    const slice = { ...this.#build(window, start, maxBytes), start, maxBytes };
    if (this.#kept.length >= KEPT_SLICES) this.#kept.shift();
    this.#kept.push(slice);
    return slice;
  }

  initial(item: Item): Buffer {
    return this.#form.encoding.event('ADDED', this.#form.item(item));
  }

  bookmark(resourceVersion: string, endsInitialEvents = false): Buffer {
    const annotations = endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = this.#form.bookmark({ resourceVersion, creationTimestamp: null, ...annotations });
    return this.#form.encoding.event('BOOKMARK', object);
  }

  error(status: Status): Buffer {
    const { encoding } = this.#form;
    const document = { value: status as unknown as JsonObject, schema: metaSchemas.status };
    return encoding.event('ERROR', withoutEnd(encoding.document(document, false)));
  }

  #build(window: EventWindow, start: number, maxBytes: number): Slice {
    const parts: Buffer[] = [];
    let bytes = 0;
    let end = start;
    while (end < window.end && bytes < maxBytes) {
      const frame = this.#frame(window.at(end++));
      if (frame === undefined) continue;
      parts.push(frame);
      bytes += frame.length;
    }
    return { bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, bytes), end, count: parts.length };
  }

  /** An update into the selection is ADDED; an update out of it is DELETED, with the last selected state. */
  #frame(event: CollectionEvent): Buffer | undefined {
    const { item, previous } = event;
    const after = item !== undefined && this.#selection.matches(item);
    const before = previous !== undefined && event.kind !== eventKind.created && this.#selection.matches(previous);
    if (after) return this.#encode(before ? 'MODIFIED' : 'ADDED', event, item);
    if (before) return this.#encode('DELETED', event, previous);
    return undefined;
  }

  #encode(type: EventType, event: CollectionEvent, item: Item): Buffer {
    const known = this.#form.plain ? plainFrames[type].get(event) : undefined;
    if (known !== undefined) return known;
    const revision = type === 'DELETED' ? event.revision : item.revision;
    const frame = this.#form.encoding.event(type, this.#form.recent(item, revision));
    if (this.#form.plain) plainFrames[type].set(event, frame);
    return frame;
  }
}
