import type { ServerResponse } from 'node:http';
import type { Collection, Snapshot } from '@tidegate/collection';
import { isConverted, type Kind } from '@tidegate/kinds';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { EventFrames, type Frames } from '../codec/event-frames.ts';
import { type ObjectForm, objectForm } from '../codec/object-form.ts';
import { ConvertedFrames } from '../conversion/converted-frames.ts';
import type { Gateway, VerbHandler } from '../gateway.ts';
import { isGone, writeDrained } from '../hooks/drained.ts';
import { watchSink } from '../hooks/watch-sink.ts';
import { writeHead } from '../hooks/write-answer.ts';
import type { Shared, SharedFrames } from '../mirror/shared-frames.ts';
import { Subscriber } from '../mirror/subscriber.ts';
import { itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type Selection, selectionOf } from '../request/selection.ts';
import { timeWhileKnown, type WatchOptions, watchOptions } from '../rules/watch-options.ts';
import { sendHistory } from './watch-history.ts';

/** GET with `watch`: the state first where it is wanted, then every change, until the time is over. */
export const watch: VerbHandler = async (gateway, request, reply) => {
  const { info, kind } = request;
  const options = watchOptions(info, gateway.gates, { shortestMs: gateway.limits.shortestWatchMs });
  const selection = selectionOf(kind, info);
  const form = objectForm(kind, request.accepted, info.query.get('includeObject') ?? '');
  const start = await startOf(gateway, request, { options, namespace: selection.namespace });

  const { encoding, mediaType } = request.accepted;
  const begin = () => {
    const raw = writeHead(request, reply, { code: 200, contentType: encoding.streamType(mediaType) });
    raw.flushHeaders();
    return raw;
  };
  const wanted = { gateway, request, selection, form };
  if (start.forgotten) {
    const frames = new EventFrames(selection, form);
    const caught = await sendHistory({ gateway, request, selection, frames, after: start.after, begin });
    if (caught === undefined || isGone(caught.raw)) return undefined;
    follow({ gateway, request, options, ...caught, frames: framesOf({ ...wanted, raw: caught.raw }) });
    return undefined;
  }
  const raw = begin();
  const frames = framesOf({ ...wanted, raw });
  if (start.snapshot !== undefined) {
    const initial = { raw, frames: new EventFrames(selection, form), snapshot: start.snapshot, selection };
    if (!isConverted(kind)) await writeInitial(initial);
    else if (!(await writeInitialConverted(gateway, kind, initial))) return undefined;
    if (options.bookmarks && options.marksInitialEnd)
      raw.write(frames.bookmark(revisionText(start.snapshot.revision), true));
  }
  if (!isGone(raw)) follow({ gateway, request, raw, frames, options, after: start.after });
  return undefined;
};

interface Wanted {
  gateway: Gateway;
  request: ResourceRequest;
  raw: ServerResponse;
  selection: Selection;
  form: ObjectForm;
}

/** Watches that ask for the same in the same words share what is made for them, until their streams end. */
function framesOf({ gateway, request, raw, selection, form }: Wanted): Frames {
  const { kind } = request;
  const make = () => {
    if (!isConverted(kind)) return new EventFrames(selection, form);
    return new ConvertedFrames({ conversions: gateway.conversions, kind, selection, form });
  };
  if (form.stateful) return make();
  const shared = gateway.frames.acquire(wishOf(request, selection), make);
  releaseAtEnd(raw, gateway.frames, shared);
  return shared.frames;
}

/** Apart, so that what lives as long as the stream holds nothing else of the request. */
function releaseAtEnd(raw: ServerResponse, frames: SharedFrames, shared: Shared): void {
  raw.on('close', () => frames.release(shared));
}

function wishOf(request: ResourceRequest, selection: Selection): string {
  const { info, kind, accepted } = request;
  const words = ['labelSelector', 'fieldSelector', 'includeObject'].map((name) => info.query.get(name) ?? '');
  return [
    kind.apiVersion,
    String(kind.entry.custom?.generation ?? ''),
    kind.storedAs,
    selection.namespace,
    info.name,
    ...words,
    accepted.mediaType,
    accepted.as,
    accepted.metaVersion,
  ].join('\0');
}

interface Start {
  after: Revision;
  snapshot: Snapshot | undefined;
  /** the mirror's window begins later: what came between is in the store's log, or lost */
  forgotten: boolean;
}

async function startOf(
  gateway: Gateway,
  request: ResourceRequest,
  { options, namespace }: { options: WatchOptions; namespace: string },
): Promise<Start> {
  const { after, initialEvents } = options;
  if (initialEvents === 'none' && after !== undefined) {
    // a version of the future is fine: the watch waits for it
    const { window } = await gateway.collections.through(request.kind, toRevision(0));
    return { after, snapshot: undefined, forgotten: window.positionAfter(after) === undefined };
  }
  const collection = await startCollection(gateway, request, options);
  const snapshot = collection.snapshot();
  if (initialEvents === 'none') return { after: snapshot.revision, snapshot: undefined, forgotten: false };
  await gateway.collections.refuseCorrupt(request.kind, collection, namespace);
  return { after: snapshot.revision, snapshot, forgotten: false };
}

function startCollection(
  gateway: Gateway,
  request: ResourceRequest,
  { after, initialEvents }: WatchOptions,
): Promise<Collection> {
  if (after !== undefined)
    return gateway.collections.atLeast(request.kind, initialEvents === 'any' ? toRevision(0) : after);
  if (initialEvents === 'any') return gateway.collections.through(request.kind, toRevision(0));
  return gateway.collections.latest(request.kind);
}

interface Initial {
  raw: ServerResponse;
  frames: EventFrames;
  snapshot: Snapshot;
  selection: Selection;
}

const CONVERTED_TOGETHER = 500;

/** false when the stream has ended with what cannot be shown */
async function writeInitialConverted(
  { conversions }: Gateway,
  kind: Kind,
  { raw, frames, snapshot, selection }: Initial,
): Promise<boolean> {
  const all = itemsOf(snapshot.runs(selection.namespace)).filter((item) => selection.isAbout(item));
  for (let at = 0; at < all.length; at += CONVERTED_TOGETHER) {
    const { items, failure } = await conversions.readPrefix(kind, all.slice(at, at + CONVERTED_TOGETHER));
    const parts = items.filter((item) => selection.matches(item)).map((item) => frames.initial(item));
    if (parts.length > 0 && !(await writeDrained(raw, Buffer.concat(parts)))) return false;
    if (failure === undefined) continue;
    raw.end(frames.error(failure.status));
    return false;
  }
  return true;
}

async function writeInitial({ raw, frames, snapshot, selection }: Initial): Promise<void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const run of snapshot.runs(selection.namespace)) {
    for (let i = run.from; i < run.to; i++) {
      const item = run.items[i];
      if (item === undefined || !selection.matches(item)) continue;
      const frame = frames.initial(item);
      parts.push(frame);
      bytes += frame.length;
    }
    if (bytes < 64 << 10) continue;
    if (!(await writeDrained(raw, Buffer.concat(parts, bytes)))) return;
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) raw.write(Buffer.concat(parts, bytes));
}

interface Following {
  gateway: Gateway;
  request: ResourceRequest;
  raw: ServerResponse;
  frames: Frames;
  options: WatchOptions;
  after: Revision;
}

function follow({ gateway, request, raw, frames, options, after }: Following): void {
  const { user, info, kind } = request;
  const { group, version, resource } = kind.entry;
  const mirror = gateway.mirrors.open(request.kind.storedAs);
  const events = gateway.metrics.watchEvents.labels({ group, version, resource });
  const subscriber = new Subscriber({
    mirror,
    after,
    frames,
    bookmarks: options.bookmarks,
    sink: watchSink(raw),
    events,
  });
  mirror.subscribers.add(subscriber);

  const { watchTimes, watchRights } = gateway;
  const timeoutMs = timeWhileKnown(user, options.timeoutMs);
  const time = watchTimes.add(subscriber, { ...options, timeoutMs });
  const running = { user, info, watch: subscriber };
  raw.on('close', () => {
    watchTimes.remove(time);
    watchRights.remove(running);
    subscriber.end();
  });
  watchRights.add(running);
  subscriber.pump();
}
