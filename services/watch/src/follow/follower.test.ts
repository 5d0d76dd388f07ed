import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { SegmentBuilder, WindowMemory } from '@tidegate/collection';
import { type Change, type FollowResponse, writeKind } from '@tidegate/wire';
import { Collections } from '../window/collections.ts';
import { type FollowCall, Follower } from './follower.ts';

/** The gateway's end of a stream; the test decides whether it has room. */
class Call extends EventEmitter {
  readonly received: FollowResponse[] = [];
  readonly #hasRoom: (message: FollowResponse) => boolean;

  constructor(hasRoom: (message: FollowResponse) => boolean) {
    super();
    this.#hasRoom = hasRoom;
  }

  write(message: FollowResponse): boolean {
    this.received.push(message);
    return this.#hasRoom(message);
  }

  end(): void {}
}

function create(resource: string, revision: number): Change {
  const value = Buffer.from(`{"metadata":{"name":"n${revision}"}}`);
  return {
    kind: writeKind.create,
    key: { resource, namespace: 'default', name: `n${revision}` },
    revision,
    previousRevision: 0,
    value,
    splice: 0,
    selection: Buffer.from('{}'),
    uid: `uid-${revision}`,
    deleting: false,
    traceparent: '',
    byReference: false,
    corrupt: '',
  };
}

function setUp(hasRoom: (message: FollowResponse) => boolean) {
  const collections = new Collections(
    10,
    new Map(['maps', 'others'].map((name) => [name, { segments: new SegmentBuilder().finish(), corrupt: [] }])),
    new WindowMemory({ bytes: 1 << 20 }),
  );
  const call = new Call(hasRoom);
  const follower = new Follower(call as unknown as FollowCall, collections);
  const commit = (...changes: Change[]) => {
    for (const change of changes) collections.apply(change);
    const last = (changes.at(-1) as Change).revision;
    collections.completeThrough(last);
    follower.push({ epoch: 1, first: (changes[0] as Change).revision, last, changes });
  };
  return { call, follower, commit };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * The gateway's view of a stream: the received revisions, and the revision through which it considers itself complete.
 */
function viewOf(messages: readonly FollowResponse[], resource: string): { got: number[]; through: number } {
  const got: number[] = [];
  let through = -1;
  for (const { opening, changes = [], through: reported } of messages) {
    if (opening?.opened && opening.resource === resource) through = opening.revision ?? 0;
    if (through < 0) continue;
    for (const { key, revision } of changes) if (key.resource === resource && revision > through) got.push(revision);
    if (reported) through = reported;
  }
  return { got, through };
}

describe('A follow stream', () => {
  test('delivers changes while its reader cannot take the end of an opening', async () => {
    const { call, follower, commit } = setUp((message) => message.opening?.opened !== true);
    follower.open('others');
    await nextTurn();
    call.emit('drain');
    await nextTurn();
    follower.open('maps');
    await nextTurn();
    commit(create('maps', 11), create('maps', 12));
    call.emit('drain');
    await nextTurn();
    commit(create('maps', 13));
    follower.end();
    assert.deepEqual(viewOf(call.received, 'maps'), { got: [11, 12, 13], through: 13 });
  });

  test('delivers changes before the end of an opening', async () => {
    const { call, follower, commit } = setUp((message) => message.opening?.history === undefined);
    commit(create('maps', 11));
    follower.open('maps');
    await nextTurn();
    commit(create('maps', 12), create('others', 13));
    call.emit('drain');
    await nextTurn();
    follower.end();
    assert.deepEqual(viewOf(call.received, 'maps'), { got: [12], through: 13 });
  });
});
