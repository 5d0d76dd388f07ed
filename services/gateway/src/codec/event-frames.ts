import { type CollectionEvent, type EventWindow, eventKind, type Item } from '@tidegate/collection';
import type { Status } from '@tidegate/status';
import type { Selection } from '../rules/selection.ts';
import type { ObjectForm } from './object-form.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

interface Slice {
  bytes: Buffer;
  /** the place after the last event that was looked at */
  end: number;
  /** events in the bytes */
  count: number;
}

const NEWLINE = Buffer.from('}\n');
const HEADS: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};

/** The frames of plain events, made once for all watchers that select everything in the common form. */
const plainFrames = new WeakMap<CollectionEvent, Buffer>();
interface SharedSlice extends Slice {
  start: number;
}
const sharedSlices = new WeakMap<EventWindow, SharedSlice>();

/** Turns a window's events into the bytes of one kind of watch: which of them it selects, in which form. */
export class EventFrames {
  readonly #selection: Selection;
  readonly #form: ObjectForm;
  readonly #shared: boolean;

  constructor(selection: Selection, form: ObjectForm) {
    this.#selection = selection;
    this.#form = form;
    this.#shared = form.plain && selection.everything;
  }

  /** The selected events from a place on, up to a size. */
  slice(window: EventWindow, start: number, maxBytes: number): Slice {
    if (!this.#shared) return this.#build(window, start, maxBytes);
    const ready = sharedSlices.get(window);
    if (ready !== undefined && ready.start === start && (ready.end === window.end || ready.bytes.length >= maxBytes))
      return ready;
    const slice = { ...this.#build(window, start, maxBytes), start };
    sharedSlices.set(window, slice);
    return slice;
  }

  initial(item: Item): Buffer {
    return Buffer.concat([HEADS.ADDED, this.#form.item(item, item.json), NEWLINE]);
  }

  bookmark(resourceVersion: string, endsInitialEvents = false): Buffer {
    const annotations = endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object = this.#form.bookmark({ resourceVersion, creationTimestamp: null, ...annotations });
    return Buffer.from(`{"type":"BOOKMARK","object":${object}}\n`);
  }

  error(status: Status): Buffer {
    return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
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

  #frame(event: CollectionEvent): Buffer | undefined {
    if (!this.#shared) return this.#makeFrame(event);
    let frame = plainFrames.get(event);
    if (frame === undefined) {
      frame = this.#makeFrame(event) as Buffer;
      plainFrames.set(event, frame);
    }
    return frame;
  }

  /** An update into the selection is ADDED; one out of it is DELETED, with the state that was selected. */
  #makeFrame(event: CollectionEvent): Buffer | undefined {
    const { item, previous } = event;
    const after = item !== undefined && this.#selection.matches(item);
    const before = previous !== undefined && event.kind !== eventKind.created && this.#selection.matches(previous);
    if (item !== undefined && after) return this.#encode(before ? 'MODIFIED' : 'ADDED', item, item.json);
    if (previous !== undefined && before) return this.#encode('DELETED', previous, previous.jsonAt(event.revision));
    return undefined;
  }

  #encode(type: EventType, item: Item, json: Buffer): Buffer {
    return Buffer.concat([HEADS[type], this.#form.item(item, json), NEWLINE]);
  }
}
