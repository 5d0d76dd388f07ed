import type { ServerResponse } from 'node:http';
import { EventWindow, itemOf, itemParts } from '@tidegate/collection';
import { isConverted, type Kind } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import type { Semaphore } from '@tidegate/service-kit';
import { ApiError, storageReadError } from '@tidegate/status';
import type { LogBatch } from '@tidegate/wire';
import { writeDrained } from '../answer/drained.ts';
import type { StoreSession } from '../clients/store-session.ts';
import type { EventFrames } from '../codec/event-frames.ts';
import type { Conversions } from '../conversion/conversions.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { unreadableWords } from '../mirror/mirror.ts';
import { PastEvents } from '../mirror/past-events.ts';
import type { Collections } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Selection } from '../request/selection.ts';

export interface HistoryPorts {
  readonly collections: Pick<Collections, 'through' | 'stored'>;
  readonly conversions: Pick<Conversions, 'readPrefix'>;
  readonly store: Pick<StoreSession, 'readLog'>;
  readonly metrics: Pick<GatewayMetrics, 'watchEvents'>;
  /** Watches with selectors hold their selected objects while they catch up, so only a few may do so at a time. */
  readonly selective: Semaphore;
}

export interface PastWatch {
  readonly ports: HistoryPorts;
  readonly request: ResourceRequest;
  readonly selection: Selection;
  readonly frames: EventFrames;
  readonly after: Revision;
  /** opens the stream; before that, an error is an answer of its own */
  begin(): ServerResponse;
}

/** The point at which the mirror takes over. */
interface CaughtUp {
  readonly raw: ServerResponse;
  readonly after: Revision;
}

/**
 * Sends the events after a revision that the mirror no longer has, from the store's log, until the mirror's window
 * covers the rest. undefined: the stream has ended, or its client has gone.
 */
export function sendHistory(watch: PastWatch): Promise<CaughtUp | undefined> {
  return watch.selection.selective ? watch.ports.selective.run(() => catchUp(watch)) : catchUp(watch);
}

async function catchUp(watch: PastWatch): Promise<CaughtUp | undefined> {
  const { ports, request, frames } = watch;
  const resource = request.kind.storedAs;
  const past = await pastEvents(watch);
  let { after } = watch;
  let raw: ServerResponse | undefined;
  try {
    for (;;) {
      const { window, through } = await ports.collections.through(request.kind, toRevision(0));
      if (raw !== undefined && window.positionAfter(after) !== undefined) return { raw, after };
      for await (const batch of ports.store.readLog({ after, through, resource })) {
        raw ??= watch.begin();
        if (!(await sendBatch(watch, raw, past, batch))) return undefined;
        after = toRevision(batch.last);
      }
    }
  } catch (error) {
    if (raw === undefined) throw error;
    raw.end(frames.error(ApiError.from(error).status));
    return undefined;
  }
}

async function pastEvents({ ports, request, selection, after }: PastWatch): Promise<PastEvents> {
  const past = new PastEvents(selection);
  if (!selection.selective) return past;
  const list = {
    namespace: selection.namespace,
    revision: after,
    after: undefined,
    limit: 0,
    isAbout: selection.isAbout,
  };
  for await (const item of ports.collections.stored(request.kind, list)) past.begin(item);
  return past;
}

const SLICE_BYTES = 64 << 10;

/** The changed objects of a batch, converted, up to the first that cannot be converted. */
async function convertedItems(
  { conversions }: HistoryPorts,
  kind: Kind,
  { batch, selection }: { batch: LogBatch; selection: Selection },
) {
  const own = batch.changes.filter(({ key, corrupt }) => key.resource === kind.storedAs && corrupt === '');
  const all = own.map((change) => itemOf(itemParts(change)));
  const [about, others] = [all.filter(selection.isAbout), all.filter((item) => !selection.isAbout(item))];
  const { items, failure } = await conversions.readPrefix(kind, about);
  return { items: new Map([...others, ...items].map((item) => [item.revision as number, item])), failure };
}

/** Sends the events of a batch; false if the client has gone. */
async function sendBatch(
  { ports, request: { kind }, selection, frames }: PastWatch,
  raw: ServerResponse,
  past: PastEvents,
  batch: LogBatch,
): Promise<boolean> {
  const window = new EventWindow(toRevision(batch.first - 1));
  const converts = isConverted(kind);
  const { items, failure } = converts ? await convertedItems(ports, kind, { batch, selection }) : {};
  let unreadable: ApiError | undefined;
  for (const change of batch.changes) {
    // stores of older releases send the changes of all resources
    if (change.key.resource !== kind.storedAs) continue;
    if (change.corrupt !== '') unreadable = storageReadError(unreadableWords(change));
    const item = items?.get(change.revision);
    if (converts && item === undefined) unreadable ??= failure;
    if (unreadable !== undefined) break;
    window.append(past.event(change, item));
  }
  const { group, version, resource } = kind.entry;
  const events = ports.metrics.watchEvents.labels({ group, version, resource });
  for (let at = window.start; at < window.end; ) {
    const slice = frames.slice(window, at, SLICE_BYTES);
    at = slice.end;
    events.inc(slice.count);
    if (slice.bytes.length > 0 && !(await writeDrained(raw, slice.bytes))) return false;
  }
  if (unreadable !== undefined) throw unreadable;
  return true;
}
