import type { ServerResponse } from 'node:http';
import type { Collection, Snapshot } from '@tidegate/collection';
import type { FeatureGates } from '@tidegate/feature-gates';
import { isConverted, type Kind } from '@tidegate/kinds';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { Semaphore } from '@tidegate/service-kit';
import type { FastifyReply } from 'fastify';
import { isGone, writeDrained } from '../answer/drained.ts';
import { watchSink } from '../answer/watch-sink.ts';
import { writeHead } from '../answer/write-answer.ts';
import type { WatchRights } from '../authz/watch-rights.ts';
import { EventFrames, type Frames } from '../codec/event-frames.ts';
import { type ObjectForm, objectForm } from '../codec/object-form.ts';
import type { RecentObjects } from '../codec/recent-objects.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { type Shared, SharedFrames } from '../mirror/fan-out.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { Subscriber } from '../mirror/subscriber.ts';
import type { WatchTimes } from '../mirror/watch-times.ts';
import { type Collections, itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type Selection, selectionOf } from '../request/selection.ts';
import { ConvertedFrames } from './converted-frames.ts';
import { type HistoryPorts, sendHistory } from './watch-history.ts';
import { timeUntilExpiry, type WatchOptions, watchOptions } from './watch-options.ts';

interface WatchesPorts extends Omit<HistoryPorts, 'selective' | 'collections' | 'conversions'> {
  readonly collections: Pick<Collections, 'latest' | 'atLeast' | 'through' | 'refuseCorrupt' | 'stored'>;
  readonly conversions: Pick<Conversions, 'read' | 'readPrefix'>;
  readonly mirrors: Pick<Mirrors, 'open'>;
  readonly recent: RecentObjects;
  readonly gates: Pick<FeatureGates, 'enabled'>;
  readonly rights: Pick<WatchRights, 'add' | 'remove'>;
  readonly times: Pick<WatchTimes, 'add' | 'remove'>;
  /** the minimum duration of watches without a timeout */
  readonly shortestMs: number;
}

/** Watches: find the start, send the initial state if requested, then every change until the timeout. */
export class Watches {
  readonly #ports: WatchesPorts & HistoryPorts;
  readonly #frames = new SharedFrames();

  constructor(ports: WatchesPorts) {
    this.#ports = { ...ports, selective: new Semaphore(MAX_CATCHING_UP) };
  }

  /** GET with `watch`: sends the initial state if requested, then follows. The watch continues after this returns. */
  async serve(request: ResourceRequest, reply: FastifyReply): Promise<undefined> {
    const { info, kind } = request;
    const ports = this.#ports;
    const options = watchOptions(info, ports.gates, { shortestMs: ports.shortestMs });
    const selection = selectionOf(kind, info);
    const form = objectForm(ports.recent, kind, request.accepted, info.query.get('includeObject') ?? '');
    const start = await startOf(ports.collections, request, { options, namespace: selection.namespace });

    const { encoding, mediaType } = request.accepted;
    const begin = () => {
      const raw = writeHead(request, reply, { code: 200, contentType: encoding.streamType(mediaType) });
      raw.flushHeaders();
      return raw;
    };
    if (start.forgotten) {
      const frames = new EventFrames(selection, form);
      const caught = await sendHistory({ ports, request, selection, frames, after: start.after, begin });
      if (caught === undefined || isGone(caught.raw)) return undefined;
      this.#follow({
        request,
        options,
        ...caught,
        frames: this.#framesOf({ request, selection, form, raw: caught.raw }),
      });
      return undefined;
    }
    const raw = begin();
    const frames = this.#framesOf({ request, selection, form, raw });
    if (start.snapshot !== undefined) {
      const initial = { raw, frames: new EventFrames(selection, form), snapshot: start.snapshot, selection };
      if (!isConverted(kind)) await writeInitial(initial);
      else if (!(await writeInitialConverted(ports.conversions, kind, initial))) return undefined;
      if (options.bookmarks && options.marksInitialEnd)
        raw.write(frames.bookmark(revisionText(start.snapshot.revision), true));
    }
    if (!isGone(raw)) this.#follow({ request, raw, frames, options, after: start.after });
    return undefined;
  }

  /** Watches with the same parameters share their encoded frames until their streams end. */
  #framesOf({ request, raw, selection, form }: FramesOf): Frames {
    const { kind } = request;
    const make = () => {
      if (!isConverted(kind)) return new EventFrames(selection, form);
      return new ConvertedFrames({ conversions: this.#ports.conversions, kind, selection, form });
    };
    if (form.stateful) return make();
    const shared = this.#frames.acquire(parametersKey(request, selection), make);
    releaseAtEnd(raw, this.#frames, shared);
    return shared.frames;
  }

  #follow({ request, raw, frames, options, after }: Following): void {
    const { user, info, kind } = request;
    const { group, version, resource } = kind.entry;
    const { mirrors, metrics, times, rights } = this.#ports;
    const mirror = mirrors.open(kind.storedAs);
    const events = metrics.watchEvents.labels({ group, version, resource });
    const { bookmarks } = options;
    const subscriber = new Subscriber({ mirror, after, frames, bookmarks, sink: watchSink(raw), events });
    mirror.subscribers.add(subscriber);
    const timeoutMs = timeUntilExpiry(user, options.timeoutMs);
    const time = times.add(subscriber, { ...options, timeoutMs });
    const running = { user, info, watch: subscriber };
    raw.on('close', () => {
      times.remove(time);
      rights.remove(running);
      subscriber.end();
    });
    rights.add(running);
    subscriber.pump();
  }
}

/** The number of watches with selectors that may read the log at a time. */
const MAX_CATCHING_UP = 4;

interface FramesOf {
  request: ResourceRequest;
  raw: ServerResponse;
  selection: Selection;
  form: ObjectForm;
}

/** A separate function, so that the close listener holds no other references to the request. */
function releaseAtEnd(raw: ServerResponse, frames: SharedFrames, shared: Shared): void {
  raw.on('close', () => frames.release(shared));
}

function parametersKey(request: ResourceRequest, selection: Selection): string {
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
  /** the mirror's window begins later: the events before it are in the store's log, or lost */
  forgotten: boolean;
}

async function startOf(
  collections: WatchesPorts['collections'],
  request: ResourceRequest,
  { options, namespace }: { options: WatchOptions; namespace: string },
): Promise<Start> {
  const { after, initialEvents } = options;
  if (initialEvents === 'none' && after !== undefined) {
    // a future revision is allowed: the watch waits for it
    const { window } = await collections.through(request.kind, toRevision(0));
    return { after, snapshot: undefined, forgotten: window.positionAfter(after) === undefined };
  }
  const collection = await startCollection(collections, request, options);
  const snapshot = collection.snapshot();
  if (initialEvents === 'none') return { after: snapshot.revision, snapshot: undefined, forgotten: false };
  await collections.refuseCorrupt(request.kind, collection, namespace);
  return { after: snapshot.revision, snapshot, forgotten: false };
}

function startCollection(
  collections: WatchesPorts['collections'],
  request: ResourceRequest,
  { after, initialEvents }: WatchOptions,
): Promise<Collection> {
  if (after !== undefined) return collections.atLeast(request.kind, initialEvents === 'any' ? toRevision(0) : after);
  if (initialEvents === 'any') return collections.through(request.kind, toRevision(0));
  return collections.latest(request.kind);
}

interface Initial {
  raw: ServerResponse;
  frames: EventFrames;
  snapshot: Snapshot;
  selection: Selection;
}

const CONVERSION_BATCH = 500;

/** false if the stream has ended with an object that cannot be converted */
async function writeInitialConverted(
  conversions: WatchesPorts['conversions'],
  kind: Kind,
  { raw, frames, snapshot, selection }: Initial,
): Promise<boolean> {
  const all = itemsOf(snapshot.runs(selection.namespace)).filter((item) => selection.isAbout(item));
  for (let at = 0; at < all.length; at += CONVERSION_BATCH) {
    const { items, failure } = await conversions.readPrefix(kind, all.slice(at, at + CONVERSION_BATCH));
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
    if (!(await writeDrained(raw, Buffer.concat(parts, bytes)))) return undefined;
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) raw.write(Buffer.concat(parts, bytes));
}

interface Following {
  request: ResourceRequest;
  raw: ServerResponse;
  frames: Frames;
  options: WatchOptions;
  after: Revision;
}
