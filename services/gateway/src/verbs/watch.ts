import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Collection, Snapshot } from '@tidegate/collection';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { expired } from '@tidegate/status';
import { EventFrames } from '../codec/event-frames.ts';
import { negotiate } from '../codec/negotiate.ts';
import { type ObjectForm, objectForm } from '../codec/object-form.ts';
import type { Gateway, ResourceRequest, VerbHandler } from '../gateway.ts';
import { watchSink } from '../hooks/watch-sink.ts';
import { writeHead } from '../hooks/write-answer.ts';
import { Subscriber } from '../mirror/subscriber.ts';
import { collectionAtLeast, latestCollection, someCollection } from '../rules/fresh-collection.ts';
import { refuseCorrupt } from '../rules/refuse-corrupt.ts';
import { type Selection, selectionOf } from '../rules/selection.ts';
import { type WatchOptions, watchOptions } from '../rules/watch-options.ts';

const BOOKMARK_MS = 60_000;
/** a bookmark this long before the server ends a watch */
const LAST_BOOKMARK_MS = 2000;

/** GET with `watch`: the state first where it is wanted, then every change, until the time is over. */
export const watch: VerbHandler = async (gateway, request, reply) => {
  const { info, kind } = request;
  const options = watchOptions(info, gateway.gates);
  const selection = selectionOf(kind, info);
  const form = objectForm(kind, negotiate(request.accept), info.query.get('includeObject') ?? '');
  const start = await startOf(gateway, request, { options, namespace: selection.namespace });

  const raw = writeHead(request, reply, 200);
  const frames = framesOf({ gateway, request, raw, selection, form });
  raw.flushHeaders();
  if (start.snapshot !== undefined) {
    await writeInitial(raw, frames, start.snapshot, selection);
    if (options.bookmarks) raw.write(frames.bookmark(revisionText(start.snapshot.revision), true));
  }
  if (!raw.destroyed) follow({ gateway, request, raw, frames, options, after: start.after });
  return undefined;
};

interface Wanted {
  gateway: Gateway;
  request: ResourceRequest;
  raw: ServerResponse;
  selection: Selection;
  form: ObjectForm;
}

/** Watches that ask for the same in the same words share what is made for them. */
function framesOf({ gateway, request, raw, selection, form }: Wanted): EventFrames {
  if (form.stateful) return new EventFrames(selection, form);
  const { info, kind, accept } = request;
  const words = ['labelSelector', 'fieldSelector', 'includeObject'].map((name) => info.query.get(name) ?? '');
  const wish = [kind.apiVersion, kind.storedAs, selection.namespace, info.name, ...words, accept ?? ''].join('\0');
  raw.once('close', () => gateway.frames.release(wish));
  return gateway.frames.acquire(wish, () => new EventFrames(selection, form));
}

interface Start {
  after: Revision;
  snapshot: Snapshot | undefined;
}

async function startOf(
  gateway: Gateway,
  request: ResourceRequest,
  { options, namespace }: { options: WatchOptions; namespace: string },
): Promise<Start> {
  const { after, initialEvents } = options;
  if (initialEvents === 'none' && after !== undefined) {
    return { after: await refuseLost(gateway, request, after), snapshot: undefined };
  }
  const collection = await startCollection(gateway, request, options);
  const snapshot = collection.snapshot();
  if (initialEvents === 'none') return { after: snapshot.revision, snapshot: undefined };
  await refuseCorrupt(gateway, request, collection, namespace);
  return { after: snapshot.revision, snapshot };
}

function startCollection(
  gateway: Gateway,
  request: ResourceRequest,
  { after, initialEvents }: WatchOptions,
): Promise<Collection> {
  if (after !== undefined) return collectionAtLeast(gateway, request, initialEvents === 'any' ? toRevision(0) : after);
  if (initialEvents === 'any') return someCollection(gateway, request, toRevision(0));
  return latestCollection(gateway, request);
}

/** Lost history is told as 410 before the stream begins. A version of the future is fine: the watch waits for it. */
async function refuseLost(gateway: Gateway, request: ResourceRequest, after: Revision): Promise<Revision> {
  const collection = await someCollection(gateway, request, toRevision(0));
  if (historyLost(collection, after)) {
    throw expired(`too old resource version: ${revisionText(after)} (${revisionText(collection.window.floor)})`);
  }
  return after;
}

function historyLost(collection: Collection, after: Revision): boolean {
  return collection.window.positionAfter(after) === undefined;
}

async function writeInitial(
  raw: ServerResponse,
  frames: EventFrames,
  snapshot: Snapshot,
  selection: Selection,
): Promise<void> {
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
    if (!raw.write(Buffer.concat(parts, bytes)) && !raw.destroyed)
      await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
    if (raw.destroyed) return;
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) raw.write(Buffer.concat(parts, bytes));
}

interface Following {
  gateway: Gateway;
  request: ResourceRequest;
  raw: ServerResponse;
  frames: EventFrames;
  options: WatchOptions;
  after: Revision;
}

function follow({ gateway, request, raw, frames, options, after }: Following): void {
  const { resource } = request.kind.entry;
  const mirror = gateway.mirrors.open(request.kind.storedAs);
  const events = gateway.metrics.watchEvents.labels({ resource });
  const open = gateway.metrics.watches.labels({ resource });
  const subscriber = new Subscriber({
    mirror,
    after,
    frames,
    bookmarks: options.bookmarks,
    sink: watchSink(raw),
    sent: (count) => events.inc(count),
  });
  mirror.subscribers.add(subscriber);
  open.inc();

  const timers: NodeJS.Timeout[] = [setTimeout(() => subscriber.end(), options.timeoutMs)];
  if (options.bookmarks) {
    timers.push(setInterval(() => subscriber.bookmark(), BOOKMARK_MS * (0.9 + Math.random() / 5)));
    if (options.timeoutMs > LAST_BOOKMARK_MS) {
      timers.push(setTimeout(() => subscriber.bookmark(), options.timeoutMs - LAST_BOOKMARK_MS));
    }
  }
  raw.once('close', () => {
    for (const timer of timers) clearTimeout(timer);
    open.dec();
    subscriber.end();
  });
  subscriber.pump();
}
