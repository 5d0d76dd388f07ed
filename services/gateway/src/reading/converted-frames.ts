import { type CollectionEvent, EventWindow, eventKind, type Item } from '@tidegate/collection';
import type { Kind } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { ApiError, type Status } from '@tidegate/status';
import { EventFrames, type Frames, type LateSlice } from '../codec/event-frames.ts';
import type { ObjectForm } from '../codec/object-form.ts';
import type { Conversions } from '../conversion/conversions.ts';
import type { Selection } from '../request/selection.ts';

interface ConvertedFramesOptions {
  readonly conversions: Pick<Conversions, 'read' | 'readPrefix'>;
  readonly kind: Kind;
  readonly selection: Selection;
  readonly form: ObjectForm;
}

/** Events that are converted in one batch, so that a delivery waits for no more than these. */
const BATCH_EVENTS = 128;

/**
 * The frames of a version that a webhook converts. Watchers at the same position share one conversion.
 *
 * Invariant: events are sent in order, and none after one that cannot be converted. Watchers of other versions and
 * kinds do not wait.
 */
export class ConvertedFrames implements Frames {
  readonly #options: ConvertedFramesOptions;
  readonly #frames: EventFrames;
  #window: EventWindow | undefined;
  #pending = new Map<number, Promise<LateSlice>>();

  constructor(options: ConvertedFramesOptions) {
    this.#options = options;
    this.#frames = new EventFrames(options.selection, options.form);
  }

  slice(window: EventWindow, start: number, maxBytes: number): Promise<LateSlice> {
    if (window !== this.#window) {
      this.#window = window;
      this.#pending = new Map();
    }
    const known = this.#pending.get(start);
    if (known !== undefined) return known;
    const pending = this.#pending;
    const slice = this.#convert(window, start, maxBytes).catch((error) => emptySlice(start, ApiError.from(error)));
    pending.set(start, slice);
    // a later watcher at this position uses the conversion cache
    void slice.finally(() => pending.delete(start));
    return slice;
  }

  bookmark(resourceVersion: string, endsInitialEvents = false): Buffer {
    return this.#frames.bookmark(resourceVersion, endsInitialEvents);
  }

  error(status: Status): Buffer {
    return this.#frames.error(status);
  }

  async #convert(window: EventWindow, start: number, maxBytes: number): Promise<LateSlice> {
    const end = Math.min(window.end, start + BATCH_EVENTS);
    const events = Array.from({ length: end - start }, (_, index) => window.at(start + index));
    const { converted, failure } = await convertedEvents(this.#options, events);
    const shown = new EventWindow(toRevision(0));
    for (const event of converted) shown.append(event);
    const { bytes, count, end: place } = this.#frames.slice(shown, 0, maxBytes);
    return {
      bytes,
      count,
      end: start + place,
      through: throughOf(converted, place),
      failure: place === converted.length ? failure : undefined,
    };
  }
}

function emptySlice(end: number, failure: ApiError): LateSlice {
  return { bytes: Buffer.alloc(0), count: 0, end, through: undefined, failure };
}

function throughOf(events: readonly CollectionEvent[], place: number): Revision | undefined {
  return place === 0 ? undefined : events[place - 1]?.revision;
}

interface ConvertedEvents {
  readonly converted: readonly CollectionEvent[];
  readonly failure: ApiError | undefined;
}

/** The events with their states converted to the version of a kind, up to the first that cannot be converted. */
export async function convertedEvents(
  { conversions, kind, selection }: Omit<ConvertedFramesOptions, 'form'>,
  events: readonly CollectionEvent[],
): Promise<ConvertedEvents> {
  const states = events.map((event) => statesOf(event, selection));
  const { items, failure } = await conversions.readPrefix(kind, states.flat());
  const shown = items.values();
  const converted: CollectionEvent[] = [];
  for (const [index, event] of events.entries()) {
    const [now, before] = (states[index] as Item[]).map(() => shown.next().value);
    const count = (states[index] as Item[]).length;
    if (count > 0 && (now === undefined || (count === 2 && before === undefined))) break;
    if (count === 0) converted.push(event);
    else if (event.item === undefined) converted.push({ ...event, previous: now });
    else converted.push({ ...event, item: now, previous: before ?? event.previous });
  }
  return { converted, failure };
}

/**
 * The states of an event that must be converted: the new one, and the previous one if it is sent or a selector needs it.
 */
function statesOf({ item, previous, kind }: CollectionEvent, { selective, isAbout }: Selection): Item[] {
  const either = item ?? previous;
  if (either === undefined || !isAbout(either)) return [];
  const before = previous !== undefined && kind !== eventKind.created && (selective || item === undefined);
  return [...(item === undefined ? [] : [item]), ...(before ? [previous] : [])];
}
