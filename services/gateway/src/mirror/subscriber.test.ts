import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { type Item, WindowMemory } from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import { ApiError } from '@tidegate/status';
import type { Change } from '@tidegate/wire';
import { json } from '../codec/encodings.ts';
import { EventFrames, type Frames, type LateSlice } from '../codec/event-frames.ts';
import { Mirror } from './mirror.ts';
import { Subscriber } from './subscriber.ts';

const selection = { everything: true, selective: false, namespace: '', matches: () => true, isAbout: () => true };
const form = {
  encoding: json,
  plain: true,
  item: ({ json: bytes }: Item) => bytes,
  recent: (item: Item, revision: Revision) => item.jsonAt(revision),
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
function subscribe(mirror: Mirror, after: number, frames: Frames = new EventFrames(selection, form as never)) {
  let text = '';
  const sink = {
    write: (bytes: Buffer) => {
      text += bytes.toString();
      return true;
    },
    onDrain: () => {},
    end: () => {},
  };
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
    sent: () => text,
    versions: () => [...text.matchAll(/"resourceVersion":"(\d+)"/g)].map((found) => Number(found[1])),
  };
}

function arrive(mirror: Mirror, ...revisions: number[]): void {
  for (const revision of revisions) {
    mirror.apply(change(revision));
    for (const subscriber of mirror.subscribers) subscriber.pump();
  }
}

test('a watch from a future version gets no event up to it, however the changes arrive', () => {
  const mirror = mirrorThrough(5);
  const { versions } = subscribe(mirror, 8);
  arrive(mirror, 6, 7, 8, 9, 10);
  assert.deepEqual(versions(), [9, 10]);
});

test('a watch from the newest version gets every later event once', () => {
  const mirror = mirrorThrough(5);
  const { versions } = subscribe(mirror, 5);
  arrive(mirror, 6, 7);
  assert.deepEqual(versions(), [6, 7]);
});

test('no event is sent again when a replica that lags behind rebuilds the mirror', () => {
  const mirror = mirrorThrough(5);
  const { versions } = subscribe(mirror, 5);
  arrive(mirror, 6, 7);
  mirror.reopen();
  mirror.receiveOpening({ resource: 'r', opened: true, revision: 5, floor: 4 });
  arrive(mirror, 6, 7, 8);
  assert.deepEqual(versions(), [6, 7, 8]);
});

/** Frames that come when they are let go, in the order in which they were asked for. */
function lateFrames() {
  const waiting: Array<(slice: Partial<LateSlice>) => void> = [];
  const slice = (_: unknown, start: number) => {
    const { promise, resolve } = Promise.withResolvers<LateSlice>();
    waiting.push((come) => {
      resolve({ bytes: Buffer.alloc(0), count: 0, end: start, through: undefined, failure: undefined, ...come });
    });
    return promise;
  };
  const error = () => Buffer.from('ERROR');
  const frames: Frames = { slice, error, bookmark: () => Buffer.from('BOOKMARK') };
  return { frames, waiting };
}

test('a watch whose events are being converted sends nothing meanwhile, and continues after them', async () => {
  const mirror = mirrorThrough(5);
  const { frames, waiting } = lateFrames();
  const { subscriber, versions, sent } = subscribe(mirror, 5, frames);
  arrive(mirror, 6, 7);
  subscriber.bookmark();
  assert.deepEqual([waiting.length, sent()], [1, '']);
  waiting.shift()?.({ bytes: Buffer.from('"resourceVersion":"6"'), end: 1, through: toRevision(6) });
  await settled();
  waiting.shift()?.({ bytes: Buffer.from('"resourceVersion":"7"'), end: 2, through: toRevision(7) });
  await settled();
  assert.deepEqual([versions(), waiting.length], [[6, 7], 0]);
});

test('a watch sends all convertible events, then the error, and then ends', async () => {
  const mirror = mirrorThrough(5);
  const { frames, waiting } = lateFrames();
  const { sent } = subscribe(mirror, 5, frames);
  arrive(mirror, 6, 7);
  waiting.shift()?.({ bytes: Buffer.from('6 '), end: 1, through: toRevision(6), failure: new ApiError('', 'no') });
  await settled();
  arrive(mirror, 8);
  assert.deepEqual([sent(), waiting.length, mirror.subscribers.size], ['6 ERROR', 0, 0]);
});

test('late events for an ended watch are not sent', async () => {
  const mirror = mirrorThrough(5);
  const { frames, waiting } = lateFrames();
  const { subscriber, sent } = subscribe(mirror, 5, frames);
  arrive(mirror, 6);
  subscriber.end();
  waiting.shift()?.({ bytes: Buffer.from('6'), end: 1, through: toRevision(6) });
  await settled();
  assert.equal(sent(), '');
});
