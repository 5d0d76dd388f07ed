import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WindowMemory } from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import type { Change } from '@tidegate/wire';
import { json } from '../codec/encodings/json.ts';
import { EventFrames } from '../codec/event-frames.ts';
import { Mirror } from './mirror.ts';
import { Subscriber } from './subscriber.ts';

const selection = { everything: true, selective: false, namespace: '', matches: () => true };
const form = {
  encoding: json,
  plain: true,
  item: (_: unknown, bytes: Buffer) => bytes,
  bookmark: () => Buffer.from('{}'),
};

function change(revision: number): Change {
  return {
    kind: 0,
    key: { resource: 'r', namespace: 'n', name: `x${revision}` },
    revision,
    previousRevision: 0,
    value: Buffer.from('{"name":1}'),
    splice: 9,
    selection: Buffer.alloc(0),
    uid: '',
    deleting: false,
    traceparent: '',
    byReference: false,
    corrupt: '',
  };
}

function mirrorThrough(revision: number): Mirror {
  const mirror = new Mirror('r', new WindowMemory({ bytes: 1 << 20 }));
  mirror.receiveOpening({ resource: 'r', opened: true, revision, floor: revision });
  return mirror;
}

/** A subscriber, and the versions that it was sent. */
function subscribe(mirror: Mirror, after: number): { subscriber: Subscriber; versions: () => number[] } {
  let text = '';
  const sink = {
    write: (bytes: Buffer) => {
      text += bytes.toString();
      return true;
    },
    onDrain: () => {},
    end: () => {},
  };
  const frames = new EventFrames(selection, form as never);
  const subscriber = new Subscriber({
    mirror,
    after: toRevision(after),
    frames,
    bookmarks: true,
    sink,
    events: { inc: () => {} },
  });
  mirror.subscribers.add(subscriber);
  subscriber.pump();
  return {
    subscriber,
    versions: () => [...text.matchAll(/"resourceVersion":"(\d+)"/g)].map((found) => Number(found[1])),
  };
}

function arrive(mirror: Mirror, ...revisions: number[]): void {
  for (const revision of revisions) {
    mirror.apply(change(revision));
    for (const subscriber of mirror.subscribers) subscriber.pump();
  }
}

test('a watch from a version of the future gets nothing up to it, however the changes arrive', () => {
  const mirror = mirrorThrough(5);
  const { versions } = subscribe(mirror, 8);
  arrive(mirror, 6, 7, 8, 9, 10);
  assert.deepEqual(versions(), [9, 10]);
});

test('a watch from the newest version gets all that comes after it, once', () => {
  const mirror = mirrorThrough(5);
  const { versions } = subscribe(mirror, 5);
  arrive(mirror, 6, 7);
  assert.deepEqual(versions(), [6, 7]);
});

test('when the mirror is rebuilt by a replica that is behind, nothing is sent again', () => {
  const mirror = mirrorThrough(5);
  const { versions } = subscribe(mirror, 5);
  arrive(mirror, 6, 7);
  mirror.reopen();
  mirror.receiveOpening({ resource: 'r', opened: true, revision: 5, floor: 4 });
  arrive(mirror, 6, 7, 8);
  assert.deepEqual(versions(), [6, 7, 8]);
});
