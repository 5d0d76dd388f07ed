import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Collection, itemOf, segmentOf, WindowMemory } from '@tidegate/collection';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import { toRevision } from '@tidegate/revision';
import { MetricRegistry } from '@tidegate/service-kit';
import { declareMetrics } from '../metrics.ts';
import { CurrentObjects } from './current-objects.ts';

const kind = builtInRegistry().find('', 'v1', 'configmaps') as Kind;
const json = '{"metadata":{"name":"a"},"data":{"from":"mirror"}}';
const item = itemOf({
  namespace: 'default',
  name: 'a',
  revision: toRevision(7),
  uid: 'u',
  splice: 23,
  selection: new Uint8Array(0),
  deleting: false,
  value: Buffer.from(json),
});

/** A mirror that is complete through 7, in front of a store with the given head. Time stands still. */
function setting({ head = 7, movedAt = 0, suspect = false, mirrored = true } = {}) {
  const state = { now: 1000, head, rows: 0, heads: 0, collection: collection() as Collection | undefined };
  if (!mirrored) state.collection = undefined;
  const objects = new CurrentObjects({
    objects: {
      get: async () => {
        state.rows++;
        return {
          revision: 9,
          uid: 'u',
          value: Buffer.from('{"metadata":{"name":"a"},"data":{"from":"store"}}'),
          splice: 23,
          stale: false,
          confirmed: true,
        };
      },
    },
    store: {
      head: async () => {
        state.heads++;
        return state.head;
      },
    },
    mirrors: {
      peek: () => state.collection,
      openForReads: () => state.collection !== undefined,
      isSuspect: () => suspect,
      movedAt,
    },
    metrics: declareMetrics(new MetricRegistry(), new WindowMemory({ bytes: 1 << 20 })),
    now: () => state.now,
  });
  const get = async (name = 'a') => JSON.parse((await objects.get(kind, 'default', name)).json().toString()).data.from;
  return { state, get };
}

function collection(): Collection {
  const line = `${item.json.toString()},`;
  const segment = segmentOf(Buffer.from(line), [{ ...segmentItem(), size: line.length - 1 }]);
  return new Collection({
    revision: toRevision(7),
    floor: toRevision(7),
    segments: [segment],
    memory: new WindowMemory({ bytes: 1 << 20 }),
  });
}

function segmentItem() {
  const { namespace, name, revision, uid } = item;
  return { namespace, name, revision, uid, splice: 23, selection: Buffer.alloc(0), deleting: false };
}

/** Gets that read rows because they are the first of their second. */
async function verifyAll({ get, state }: ReturnType<typeof setting>): Promise<void> {
  while (state.heads === 0 && state.rows < 1000) await get();
  Object.assign(state, { rows: 0, heads: 0 });
}

describe('The current state of an object', () => {
  test('comes from the mirror if that is complete through the head of the store', async () => {
    const quiet = setting();
    await verifyAll(quiet);
    assert.equal(await quiet.get(), 'mirror');
    assert.deepEqual([quiet.state.heads, quiet.state.rows], [1, 0]);
  });

  test('comes from the store if the mirror lacks a change that the head includes', async () => {
    const behind = setting();
    await verifyAll(behind);
    behind.state.head = 8;
    assert.equal(await behind.get(), 'store');
    assert.deepEqual([behind.state.heads, behind.state.rows], [1, 1]);
  });

  test('is missing if the mirror is complete and does not have it', async () => {
    const quiet = setting();
    await verifyAll(quiet);
    await assert.rejects(quiet.get('b'), { code: 404 });
    assert.equal(quiet.state.rows, 0);
  });

  for (const [why, options] of Object.entries({
    'while changes arrive': { movedAt: 995 },
    'of a collection that is not mirrored': { mirrored: false },
  })) {
    test(`comes from the store ${why}, without a question`, async () => {
      const { get, state } = setting(options);
      for (let i = 0; i < 200; i++) assert.equal(await get(), 'store');
      assert.deepEqual([state.heads, state.rows], [0, 200]);
    });
  }

  test('comes from the store if that could not read it before', async () => {
    const { get, state } = setting({ suspect: true });
    for (let i = 0; i < 200; i++) assert.equal(await get(), 'store');
    assert.equal(state.rows, 200);
  });

  test('comes from the store if the mirror closes after the question', async () => {
    const closing = setting();
    await verifyAll(closing);
    const reading = closing.get();
    closing.state.collection = undefined;
    assert.equal(await reading, 'store');
  });

  test('is read, and so verified, a hundred times a second', async () => {
    const { get, state } = setting();
    for (let i = 0; i < 150; i++) await get();
    assert.deepEqual([state.rows, state.heads], [100, 50]);
    state.now += 1000;
    for (let i = 0; i < 150; i++) await get();
    assert.deepEqual([state.rows, state.heads], [200, 100]);
  });
});
