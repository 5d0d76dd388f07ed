import {
  type Collection,
  corruptObject,
  type Item,
  itemOf,
  itemParts,
  type Position,
  type Run,
} from '@tidegate/collection';
import { isConverted, isTypeless, type Kind } from '@tidegate/kinds';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { ApiError, resourceVersionTooLarge, serviceUnavailable, timeout, unreadable } from '@tidegate/status';
import type { StoredObject } from '@tidegate/wire';
import type { StoreSession } from '../clients/store-session.ts';
import type { Conversions } from '../conversion/conversions.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { keyOf } from './objects.ts';

/** How long a read waits for the revision that its client requests. */
export const FRESHNESS_WAIT_MS = 3000;
/** How long a read waits for a revision that exists. */
const EXISTING_WAIT_MS = 10_000;
/** How long admission and callouts wait for the first load of a collection. */
const LOAD_WAIT_MS = 5000;
/** The number of objects that a webhook converts in one call. */
const CONVERSION_BATCH = 500;

interface CollectionsPorts {
  readonly store: Pick<StoreSession, 'head' | 'read' | 'list'>;
  readonly mirrors: Pick<
    Mirrors,
    'peek' | 'collection' | 'collectionIfReached' | 'reaches' | 'through' | 'suspects' | 'suspect' | 'clear'
  >;
  readonly conversions: Pick<Conversions, 'read'>;
}

/** A part of a collection at one revision, from the store. */
export interface StoredListRequest {
  readonly namespace: string;
  readonly revision: Revision;
  readonly after: Position | undefined;
  /** 0: no limit */
  readonly limit: number;
  /** objects for which it is false may be skipped to save a conversion */
  readonly isAbout?: (item: Item) => boolean;
  /** receives the number of objects after the limit; without it the store does not count them */
  readonly rest?: ((count: number) => void) | undefined;
}

/** Reads whole collections: from the mirror, as fresh as the caller needs them, or from the store at one revision. */
export class Collections {
  readonly #ports: CollectionsPorts;

  constructor(ports: CollectionsPorts) {
    this.#ports = ports;
  }

  /** The mirrored collection, if there is one. */
  peek(resource: string): Collection | undefined {
    return this.#ports.mirrors.peek(resource);
  }

  /** The mirrored collection, however stale. If it is not mirrored yet, it is from now on. */
  async known(resource: string): Promise<Collection> {
    const { mirrors } = this.#ports;
    const found = mirrors.peek(resource) ?? (await mirrors.collection(resource, toRevision(0), LOAD_WAIT_MS));
    if (found === undefined) throw serviceUnavailable(`the ${resource} are not loaded yet; retry shortly`);
    return found;
  }

  /** The parsed objects of a namespace in the store, without unreadable ones. */
  async objectsInStore(resource: string, namespace: string): Promise<JsonObject[]> {
    const objects: JsonObject[] = [];
    for await (const page of this.#ports.store.list({ resource, namespace })) {
      for (const { value, corrupt } of page.objects) if (corrupt === '') objects.push(parseOwnJson(value));
    }
    return objects;
  }

  /** The current collection: complete through the store's revision at the time of the call. */
  async latest(kind: Kind): Promise<Collection> {
    return this.through(kind, toRevision(await this.#ports.store.head()));
  }

  /** The collection, complete through a revision that is known to exist. */
  async through(kind: Kind, revision: Revision): Promise<Collection> {
    const collection = await this.#ports.mirrors.collection(kind.storedAs, revision, EXISTING_WAIT_MS);
    if (collection !== undefined) return collection;
    throw timeout('the watch service did not deliver the current state in time, please try again');
  }

  /**
   * The collection at the revision that a client requests, or later. Clients may name a future revision. Only the store
   * knows whether it exists, so only then the watch service is asked for it.
   */
  async atLeast(kind: Kind, revision: Revision): Promise<Collection> {
    const { mirrors, store } = this.#ports;
    const exists = revision <= mirrors.through || revision <= (await store.head());
    const collection = exists
      ? await mirrors.collection(kind.storedAs, revision, FRESHNESS_WAIT_MS)
      : await mirrors.collectionIfReached(kind.storedAs, revision, FRESHNESS_WAIT_MS);
    if (collection !== undefined) return collection;
    throw resourceVersionTooLarge(revisionText(revision), revisionText(mirrors.through));
  }

  /** Waits until the revision that a client requests exists. */
  async reached(revision: Revision): Promise<void> {
    const { mirrors, store } = this.#ports;
    if (revision <= (await store.head())) return;
    if (await mirrors.reaches(revision, FRESHNESS_WAIT_MS)) return;
    throw resourceVersionTooLarge(revisionText(revision), revisionText(mirrors.through));
  }

  /**
   * Throws 500 if an object of a namespace ("" for all) cannot be read, because a list without it would look complete.
   *
   * Corrupt objects are reported by the watch service, or found by an earlier read from the store while the mirror
   * still has their last good state. The latter are read again: the stored bytes decide.
   */
  async refuseCorrupt(kind: Kind, collection: Collection, namespace: string): Promise<void> {
    const { mirrors, store } = this.#ports;
    const found = collection.corruptObjects(namespace);
    for (const suspect of mirrors.suspects(kind.storedAs, namespace)) {
      const key = keyOf(kind, suspect.namespace, suspect.name);
      const { object } = await store.read(key);
      if (object?.corrupt) found.push(corruptObject(object));
      else mirrors.clear(key);
    }
    if (found.length > 0) throw unreadable(kind.entry, found);
  }

  /** The objects at exactly one revision, in key order, from the store, in the version of the request. */
  stored(kind: Kind, list: StoredListRequest): AsyncGenerator<Item> {
    const items = itemsOfStored(this.#storedObjects(kind, list), isTypeless(kind));
    return isConverted(kind) ? this.#converted(kind, items, list) : items;
  }

  /** Throws at the first object that cannot be read. */
  async *#storedObjects(
    kind: Kind,
    { namespace, revision, after, limit, rest }: StoredListRequest,
  ): AsyncGenerator<StoredObject> {
    const pages = this.#ports.store.list({
      resource: kind.storedAs,
      namespace,
      revision,
      afterNamespace: after?.namespace ?? '',
      afterName: after?.name ?? '',
      limit,
      countRest: rest !== undefined,
    });
    for await (const { objects, remaining } of pages) {
      const corrupt = objects.filter((object) => object.corrupt !== '');
      if (corrupt.length > 0) {
        const named = corrupt.map((object) => corruptObject(object));
        // a started answer can only be aborted; the mirror remembers these, so that later requests fail before they
        // start
        for (const one of corrupt) this.#ports.mirrors.suspect(one);
        throw unreadable(kind.entry, named);
      }
      rest?.(remaining);
      yield* objects;
    }
  }

  async *#converted(
    kind: Kind,
    items: AsyncIterable<Item>,
    { isAbout }: Pick<StoredListRequest, 'isAbout'>,
  ): AsyncGenerator<Item> {
    let chunk: Item[] = [];
    for await (const item of items) {
      if (isAbout?.(item) === false) continue;
      chunk.push(item);
      if (chunk.length < CONVERSION_BATCH) continue;
      yield* await this.#ports.conversions.read(kind, chunk);
      chunk = [];
    }
    yield* await this.#ports.conversions.read(kind, chunk);
  }
}

export function itemsOf(runs: Iterable<Run>): Item[] {
  return [...runs].flatMap(({ items, from, to }) => items.slice(from, to));
}

async function* itemsOfStored(objects: AsyncIterable<StoredObject>, typeless: boolean): AsyncGenerator<Item> {
  for await (const object of objects) yield itemOf(itemParts(object), typeless);
}

/** Whether an error says that the revision is no longer kept. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'Expired';
}
