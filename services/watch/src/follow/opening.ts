import type { Collection, CollectionEvent, Item, Snapshot } from '@tidegate/collection';
import type { Change, FollowResponse, HistoricChange, StoredObject } from '@tidegate/wire';
import { segmentMessage } from '../window/segment-message.ts';

const PART_BYTES = 512 << 10;

/**
 * Everything that a gateway needs to mirror this collection, in parts of half a MiB: the state, segment by segment, then
 * the events of the window. An event has the state before it only where no earlier event of the window has that state,
 * and the state after it only where it is not the current one.
 */
export function* openingParts(resource: string, collection: Collection, snapshot: Snapshot): Generator<FollowResponse> {
  const { window } = collection;
  const floor = window.floor;
  const corrupt = collection.corruptObjects();
  for (const run of snapshot.runs()) yield { opening: { resource, segments: [segmentMessage(run)] } };
  yield* historyParts(resource, collection, snapshot);
  yield { opening: { resource, corrupt, opened: true, revision: snapshot.revision, floor, holes: [...window.holes] } };
}

function* historyParts(resource: string, collection: Collection, snapshot: Snapshot): Generator<FollowResponse> {
  const { window } = collection;
  const sent = new Set<number>();
  let history: HistoricChange[] = [];
  let bytes = 0;
  for (let i = window.start; i < window.end; i++) {
    const event = window.at(i);
    if (event.revision > snapshot.revision) break;
    const before = event.previous !== undefined && event.item !== undefined && !sent.has(event.previous.revision);
    sent.add(event.revision);
    const older = before ? { before: storedObject(resource, event.previous as Item) } : {};
    if (event.item !== undefined && snapshot.get(event) === event.item) {
      const { kind, revision, previous } = event;
      history.push({ toState: { kind, revision, previousRevision: previous?.revision ?? 0 }, ...older });
      bytes += 50;
    } else {
      history.push({ change: changeOf(resource, event), ...older });
      bytes += 200 + (event.item ?? (event.previous as Item)).size;
    }
    if (bytes < PART_BYTES) continue;
    yield { opening: { resource, history } };
    history = [];
    bytes = 0;
  }
  if (history.length > 0) yield { opening: { resource, history } };
}

/** The change that made an event; for a deletion the last state, at the revision of the deletion. */
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
