import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WindowMemory } from '@tidegate/collection';
import { expired } from '@tidegate/status';
import {
  type Change,
  type HeadResponse,
  type ListPage,
  type LogBatch,
  type ReadLogRequest,
  type StoredObject,
  writeKind,
} from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';
import { CurrentCollections } from './current-collections.ts';

const RESOURCE = 'maps';

function parts(revision: number) {
  return {
    key: { resource: RESOURCE, namespace: 'default', name: `n${revision}` },
    revision,
    value: Buffer.from(`{"metadata":{"name":"n${revision}"}}`),
    splice: 0,
    selection: Buffer.from('{}'),
    uid: `uid-${revision}`,
    deleting: false,
    corrupt: '',
  };
}

const stored = (revision: number): StoredObject => ({ ...parts(revision), stale: false });

function created(revision: number): Change {
  const rest = { previousRevision: 0, traceparent: '', byReference: false };
  return { kind: writeKind.create, ...parts(revision), ...rest };
}

/** Each revision of the batch is a new object. */
function batch(first: number, last: number, epoch = 1): LogBatch {
  const changes = Array.from({ length: last - first + 1 }, (_, i) => created(first + i));
  return { epoch, first, last, changes };
}

/** A store with an object for each revision; its log reaches back to the floor. */
class FakeStore {
  floor = 5;
  revision = 7;
  epoch = 1;
  /** errors that the next calls throw */
  readonly failures: Error[] = [];
  readonly heads: number[] = [];
  readonly reads: ReadLogRequest[] = [];
  /** reads of the log wait for this promise */
  logIsOpen: Promise<void> = Promise.resolve();

  async head(): Promise<HeadResponse> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const { floor, revision, epoch } = this;
    this.heads.push(revision);
    return { floor, revision, epoch };
  }

  async *list({ revision = 0 }): AsyncIterable<ListPage> {
    const objects = Array.from({ length: revision }, (_, i) => stored(i + 1));
    objects.sort((a, b) => (a.key.name < b.key.name ? -1 : 1));
    yield { revision, epoch: this.epoch, objects, remaining: 0 };
  }

  async *readLog(request: ReadLogRequest): AsyncIterable<LogBatch> {
    this.reads.push(request);
    await this.logIsOpen;
    const { after, through = this.revision } = request;
    if (after < this.floor) throw expired(`the log begins after ${this.floor}`);
    const last = Math.min(through, this.revision);
    if (last > after) yield batch(after + 1, last, this.epoch);
  }
}

function setUp() {
  const store = new FakeStore();
  const timers: Array<() => void> = [];
  const pushed: LogBatch[] = [];
  const closing = new AbortController();
  const calls = { ends: 0, fills: 0, rebuilds: 0, retries: [] as unknown[], live: [] as number[] };
  const current = new CurrentCollections({
    store,
    newWindows: () => new WindowMemory({ bytes: 1 << 20 }),
    followers: { push: (one) => pushed.push(one), end: () => calls.ends++ },
    applied: ({ last }, isLive) => {
      if (isLive) calls.live.push(last);
    },
    filled: () => calls.fills++,
    rebuilding: () => calls.rebuilds++,
    tracing: { child: () => undefined },
    log: { info: () => {}, warn: () => {} },
    retries: {
      load: { failed: async (error) => void calls.retries.push(error), succeeded: () => {} },
      readLog: { failedNow: () => 0, succeeded: () => {} },
    },
    closing: closing.signal,
    setTimer: (run) => timers.push(run),
  });
  /** runs the timers that are due, and waits for their effects */
  const tick = async () => {
    for (const run of timers.splice(0)) run();
    await turn();
  };
  return { store, current, pushed, calls, closing, tick };
}

async function loaded() {
  const all = setUp();
  await all.current.load();
  await all.tick();
  return { ...all, before: await all.current.whenComplete() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const names = (collections: Collections) =>
  [...collections.get(RESOURCE).snapshot().runs()]
    .flatMap((run) => run.items.slice(run.from, run.to).map(({ name }) => Number(name.slice(1))))
    .sort((a, b) => a - b);
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const forever = new AbortController().signal;

describe('At the start', () => {
  test('the collections are complete after the changes since the floor are applied to the state at the floor', async () => {
    const { store, current, calls, tick } = setUp();
    await current.load();
    assert.equal(current.complete, undefined);
    await tick();
    assert.deepEqual(store.reads, [{ after: 5, through: 7 }]);
    assert.equal(current.revision, 7);
    const collections = await current.whenComplete();
    assert.equal(current.complete, collections);
    assert.deepEqual(names(collections), upTo(7));
    assert.deepEqual(calls.live, [], 'changes of the catch-up are not live');
  });

  test('the collections are complete at once where the log is empty', async () => {
    const { store, current } = setUp();
    store.floor = 7;
    await current.load();
    assert.deepEqual(names(await current.whenComplete()), upTo(7));
    assert.deepEqual(store.reads, []);
  });

  test('a failed load is repeated, and each failure is counted', async () => {
    const { store, current, calls } = setUp();
    store.floor = 7;
    const failures = [new Error('away'), new Error('still away')];
    store.failures.push(...failures);
    await current.load();
    assert.deepEqual(calls.retries, failures);
    assert.ok(current.complete);
  });

  test('followers do not get the changes of the catch-up', async () => {
    const { pushed } = await loaded();
    assert.deepEqual(pushed, []);
  });

  test('nothing is loaded after the process has begun to stop', async () => {
    const { store, current, closing } = setUp();
    closing.abort();
    await current.load();
    assert.deepEqual(store.heads, []);
  });

  test('an epoch that begins during the catch-up leaves a hole, and causes no reload', async () => {
    const { store, current, calls, tick } = setUp();
    await current.load();
    store.epoch = 2;
    current.offer({ ...batch(7, 7, 2), first: 6 });
    await tick();
    assert.equal(calls.rebuilds, 0);
    const { window } = (await current.whenComplete()).get(RESOURCE);
    assert.deepEqual(window.holes, [{ lastSurviving: 5, firstNew: 7 }]);
  });
});

describe('While the feed continues', () => {
  test('each batch is applied, and pushed to the followers', async () => {
    const { current, pushed, calls, before } = await loaded();
    current.offer(batch(8, 9));
    assert.deepEqual(names(before), upTo(9));
    assert.deepEqual(
      pushed.map(({ first, last }) => [first, last]),
      [[8, 9]],
    );
    assert.deepEqual(calls.live, [9]);
  });

  test('a gap is read from the log once', async () => {
    const { store, current, calls, tick, before } = await loaded();
    store.revision = 10;
    const fills = calls.fills;
    current.offer(batch(10, 10));
    assert.equal(current.isBehind, true);
    assert.equal(current.revision, 7);
    await tick();
    assert.deepEqual(store.reads.at(-1), { after: 7, through: 10 });
    assert.deepEqual(names(before), upTo(10));
    assert.equal(calls.fills - fills, 1);
    assert.equal(calls.rebuilds, 0);
    assert.equal(current.isBehind, false);
  });

  test('a reader of a revision that arrives later gets it', async () => {
    const { current, before } = await loaded();
    const reading = current.at(8, forever);
    await turn();
    current.offer(batch(8, 8));
    assert.equal(await reading, before);
    assert.equal(before.through, 8);
  });

  test('a reader of a revision that does not exist waits only until its call ends', async () => {
    const { store, current, tick } = await loaded();
    const call = new AbortController();
    const reading = current.at(1_000_000, call.signal);
    const reads = store.reads.length;
    for (let i = 0; i < 5; i++) await tick();
    assert.equal(store.reads.length - reads, 1, 'the log was read once');
    call.abort();
    assert.equal(await reading, undefined);
  });
});

describe('All collections are read again', () => {
  test('where the log was truncated above the feed', async () => {
    const { store, current, calls, tick, before } = await loaded();
    store.floor = store.revision = 20;
    current.expect(20);
    await tick();
    assert.equal(calls.rebuilds, 1);
    assert.equal(calls.ends, 1);
    const after = await current.whenComplete();
    assert.notEqual(after, before);
    assert.deepEqual(names(after), upTo(20));
  });

  test('when a new epoch begins, because applied changes may be lost', async () => {
    const { store, current, pushed, calls, tick, before } = await loaded();
    store.epoch = 2;
    store.revision = 8;
    current.offer(batch(8, 8, 2));
    assert.equal(current.complete, undefined);
    assert.equal(calls.ends, 1);
    assert.deepEqual(pushed, []);
    assert.deepEqual(names(before), upTo(7), 'replaced collections do not change any more');
    await turn();
    await tick();
    assert.deepEqual(names(await current.whenComplete()), upTo(8));
    current.offer(batch(9, 9, 2));
    assert.equal(calls.rebuilds, 1);
  });

  test('when a rebuild is requested, once for the same collections', async () => {
    const { store, current, calls, before } = await loaded();
    current.rebuild(before, new Error('differs from the store'));
    current.rebuild(before, new Error('can be read again'));
    await turn();
    assert.equal(calls.rebuilds, 1);
    assert.equal(store.heads.length, 2);
    current.rebuild(before, new Error('differs from the store'));
    assert.equal(calls.rebuilds, 1);
  });

  test('and the previous feed delivers no more changes', async () => {
    const { store, current, calls, pushed, tick, before } = await loaded();
    const log = Promise.withResolvers<void>();
    store.logIsOpen = log.promise;
    store.revision = 9;
    current.expect(9);
    await tick();
    store.floor = 9;
    current.rebuild(before, new Error('differs from the store'));
    log.resolve();
    await turn();
    assert.notEqual(await current.whenComplete(), before);
    assert.deepEqual(names(before), upTo(7));
    assert.deepEqual(pushed, []);
    assert.equal(calls.rebuilds, 1, 'the truncated log of the previous feed has no effect');
  });

  test('and early batches of the previous feed are dropped', async () => {
    const { store, current, pushed, before } = await loaded();
    store.floor = store.revision = 9;
    store.epoch = 2;
    current.offer(batch(9, 9));
    current.offer(batch(8, 8, 2));
    await turn();
    assert.deepEqual(pushed, []);
    assert.deepEqual(names(before), upTo(7));
    assert.deepEqual(names(await current.whenComplete()), upTo(9));
  });

  test('and waiting readers get the new collections', async () => {
    const { store, current, before } = await loaded();
    const reading = current.at(9, forever);
    await turn();
    store.floor = store.revision = 9;
    current.rebuild(before, new Error('differs from the store'));
    const after = await reading;
    assert.ok(after !== undefined && after !== before);
    assert.equal(after.through, 9);
  });

  test('also before the collections were complete, and waiting readers get the new collections', async () => {
    const { store, current, calls, tick } = setUp();
    await current.load();
    const waiting = current.whenComplete();
    store.floor = store.revision = 12;
    await tick();
    assert.equal(calls.rebuilds, 1);
    assert.deepEqual(names(await waiting), upTo(12));
  });
});
