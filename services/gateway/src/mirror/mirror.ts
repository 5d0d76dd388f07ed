import {
  Collection,
  type CollectionEvent,
  type CorruptObject,
  eventKind,
  type Item,
  itemOf,
  itemParts,
  type Segment,
  segmentOf,
  type WindowMemory,
} from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import { storageReadError } from '@tidegate/status';
import type { Change, ChangeToState, HistoricChange, Key, Opening } from '@tidegate/wire';
import type { Subscriber } from './subscriber.ts';

interface Waiter {
  readonly revision: number;
  readonly resolve: (collection: Collection | undefined) => void;
}

/** An object that the store cannot read. */
export interface Suspect {
  readonly key: Key;
  readonly revision: number;
}

/**
 * This process's copy of one collection, shared by all clients.
 *
 * Invariant: `collection` is complete through its own `through`. It is replaced as a whole after the stream to the
 * watch service was lost; subscribers then continue in the new collection from their own revisions.
 */
export class Mirror {
  readonly resource: string;
  readonly subscribers = new Set<Subscriber>();
  /** objects that the store reported as corrupt on a read, while their last good state is still mirrored */
  readonly suspects = new Map<string, Suspect>();
  collection: Collection | undefined;
  usedAt = 0;
  /** the current stream delivers every change of this collection */
  #live = false;
  readonly #memory: WindowMemory;
  readonly #typeless: boolean;
  #waiters: Waiter[] = [];
  #segments: Segment[] = [];
  #corrupt: CorruptObject[] = [];
  #history: CollectionEvent[] = [];
  #states = new Map<number, Item>();

  /** typeless: objects in lists have no kind and apiVersion */
  constructor(resource: string, memory: WindowMemory, typeless = false) {
    this.resource = resource;
    this.#typeless = typeless;
    this.#memory = memory;
  }

  /** whether a reader waits for a revision, or a watch is open */
  get needed(): boolean {
    return this.subscribers.size > 0 || this.#waiters.length > 0;
  }

  get bytes(): number {
    return this.collection?.bytes ?? 0;
  }

  /** Releases the collection, which is no longer read. */
  close(): void {
    this.collection?.close();
  }

  /** A new stream begins: discards the parts of an unfinished opening. */
  reopen(): void {
    this.#live = false;
    this.#segments = [];
    this.#corrupt = [];
    this.#history = [];
    this.#states.clear();
  }

  receiveOpening(part: Opening): void {
    for (const { json, items } of part.segments ?? [])
      this.#receiveSegment(segmentOf(json as Buffer, items, this.#typeless));
    for (const change of part.history ?? []) this.#receiveHistory(change);
    for (const { namespace, name, revision, why } of part.corrupt ?? []) {
      this.#corrupt.push({ namespace, name, revision: toRevision(revision), why });
    }
    if (!part.opened) return;
    this.close();
    this.collection = new Collection({
      revision: toRevision(part.revision ?? 0),
      floor: toRevision(part.floor ?? 0),
      segments: this.#segments,
      corrupt: this.#corrupt,
      history: this.#history,
      holes: part.holes ?? [],
      memory: this.#memory,
      typeless: this.#typeless,
    });
    this.reopen();
    this.#live = true;
    for (const subscriber of this.subscribers) subscriber.moved();
  }

  /** Ignored while the state is being sent again, and when the collection has the change already. */
  apply(change: Change): boolean {
    if (!this.#live || this.collection === undefined || change.revision <= this.collection.through) return false;
    const { kind, traceparent, corrupt } = change;
    if (this.suspects.size > 0) this.#clearBefore(change);
    // a change of a corrupt object ends the history, so subscribers first get the events before it
    const ending = corrupt !== '' || this.collection.isCorrupt(change.key);
    if (ending) for (const subscriber of this.subscribers) subscriber.pump();
    if (this.collection.apply({ kind, state: itemParts(change), traceparent, corrupt }) !== undefined) return true;
    for (const subscriber of [...this.subscribers]) subscriber.fail(storageReadError(unreadableWords(change)));
    return false;
  }

  completeThrough(revision: Revision): void {
    if (!this.#live || this.collection === undefined) return;
    this.collection.completeThrough(revision);
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter((waiter) => waiter.revision <= revision);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > revision);
    for (const waiter of ready) waiter.resolve(this.collection);
  }

  /** The collection once it is complete through the revision; undefined after the timeout. */
  when(revision: Revision, timeoutMs: number): Promise<Collection | undefined> {
    if (this.collection !== undefined && this.collection.through >= revision) return Promise.resolve(this.collection);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        resolve: (collection) => {
          clearTimeout(timer);
          resolve(collection);
        },
      };
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        resolve(undefined);
      }, timeoutMs);
      this.#waiters.push(waiter);
    });
  }

  /** Clears a suspect when a later state arrives or the collection itself marks it as corrupt; a late state clears none. */
  #clearBefore({ key, revision, corrupt }: Change): void {
    const name = suspectName(key);
    const suspect = this.suspects.get(name);
    if (suspect !== undefined && (revision > suspect.revision || corrupt !== '')) this.suspects.delete(name);
  }

  #receiveSegment(segment: Segment): void {
    this.#segments.push(segment);
    for (const item of segment.items) this.#states.set(item.revision, item);
  }

  #receiveHistory({ change, before, toState }: HistoricChange): void {
    const { kind, previousRevision } = (toState ?? change) as Change | ChangeToState;
    const item = toState
      ? (this.#states.get(toState.revision) as Item)
      : itemOf(itemParts(change as Change), this.#typeless);
    const deleted = kind === eventKind.deleted;
    const older =
      this.#states.get(previousRevision) ?? (before ? itemOf(itemParts(before), this.#typeless) : undefined);
    this.#states.set(item.revision, item);
    this.#history.push({
      kind,
      revision: item.revision,
      namespace: item.namespace,
      name: item.name,
      item: deleted ? undefined : item,
      previous: older ?? (deleted ? item : undefined),
      traceparent: '',
    });
  }
}

export function suspectName({ namespace, name }: Key): string {
  return `${namespace}/${name}`;
}

export function unreadableWords({ key, corrupt, revision }: Change): string {
  const path = [key.resource, key.namespace, key.name].filter((part) => part !== '').join('/');
  return `the change of ${path} at version ${revision} cannot be shown: ${corrupt}`;
}
