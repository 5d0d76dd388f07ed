import type { Collection, CollectionEvent, CorruptObject, Item, Snapshot } from '@tidegate/collection';
import type { Change, FollowResponse, HistoricChange, StoredObject } from '@tidegate/wire';

const PART_BYTES = 512 << 10;

/**
 * Everything a gateway needs to be this collection's mirror, in parts of half a MiB: the window's events, then the
 * state. An event carries the state before it only when no earlier event of the window does.
 */
export function* openingParts(resource: string, collection: Collection, snapshot: Snapshot): Generator<FollowResponse> {
  const { window } = collection;
  const floor = window.floor;
  yield* historyParts(resource, collection, snapshot);
  let objects = collection.corruptObjects().map((object) => unreadable(resource, object));
  let bytes = 0;
  for (const run of snapshot.runs()) {
    for (let i = run.from; i < run.to; i++) {
      const item = run.items[i] as Item;
      objects.push(storedObject(resource, item));
      bytes += item.json.length;
      if (bytes < PART_BYTES) continue;
      yield { opening: { resource, objects } };
      objects = [];
      bytes = 0;
    }
  }
  yield { opening: { resource, objects, opened: true, revision: snapshot.revision, floor, holes: [...window.holes] } };
}

function* historyParts(resource: string, collection: Collection, snapshot: Snapshot): Generator<FollowResponse> {
  const { window } = collection;
  const told = new Set<number>();
  let history: HistoricChange[] = [];
  let bytes = 0;
  for (let i = window.start; i < window.end; i++) {
    const event = window.at(i);
    if (event.revision > snapshot.revision) break;
    const before = event.previous !== undefined && event.item !== undefined && !told.has(event.previous.revision);
    told.add(event.revision);
    history.push({
      change: changeOf(resource, event),
      ...(before ? { before: storedObject(resource, event.previous as Item) } : {}),
    });
    bytes += (event.item ?? (event.previous as Item)).json.length;
    if (bytes < PART_BYTES) continue;
    yield { opening: { resource, history } };
    history = [];
    bytes = 0;
  }
  if (history.length > 0) yield { opening: { resource, history } };
}

/** An event as the change that made it; of a deletion the last state, under the revision of the deletion. */
export function changeOf(resource: string, event: CollectionEvent): Change {
  const item = event.item ?? (event.previous as Item);
  return {
    kind: event.kind,
    key: { resource, namespace: event.namespace, name: event.name },
    revision: event.revision,
    previousRevision: event.previous?.revision ?? 0,
    ...item.stored(),
    uid: item.uid,
    deleting: item.deleting,
    traceparent: event.traceparent,
    byReference: false,
    corrupt: '',
  };
}

function storedObject(resource: string, item: Item): StoredObject {
  return {
    key: { resource, namespace: item.namespace, name: item.name },
    revision: item.revision,
    ...item.stored(),
    uid: item.uid,
    deleting: item.deleting,
    corrupt: '',
    stale: false,
  };
}

function unreadable(resource: string, object: CorruptObject): StoredObject {
  const { namespace, name, revision, why } = object;
  const nothing = { value: NOTHING, splice: 0, selection: NOTHING, uid: '', deleting: false, stale: false };
  return { key: { resource, namespace, name }, revision, ...nothing, corrupt: why };
}

const NOTHING = new Uint8Array(0);
