import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { peerCertificates, startPostgres, type TestCertificates, type TestPostgres, until } from '@tidegate/testkit';
import type { Change, ListPage, LogBatch, Write, WriteOutcome } from '@tidegate/wire';
import { collect, freshDatabase, keyOf, write } from '../testing/fixture.ts';
import { startStore, type TestStore } from '../testing/store-process.ts';

let postgres: TestPostgres;
let certificates: TestCertificates;

before(async () => {
  [postgres, certificates] = await Promise.all([startPostgres(), peerCertificates()]);
});

after(async () => {
  certificates.remove();
  await postgres.stop();
});

async function withStores(count: number, work: (stores: TestStore[]) => Promise<void>): Promise<void> {
  const postgresUrl = await freshDatabase(postgres);
  const stores = await Promise.all(Array.from({ length: count }, () => startStore(certificates, { postgresUrl })));
  try {
    await work(stores);
  } finally {
    await Promise.all(stores.map((store) => store.stop()));
  }
}

async function commit(store: TestStore, ...writes: Write[]): Promise<WriteOutcome[]> {
  const response = await store.ask({ writes });
  assert.equal(response.error.length, 0);
  return response.writes;
}

/** Takes changes from a follow stream until there are enough. */
async function take(batches: AsyncIterable<LogBatch>, count: number, onBatch = (_: LogBatch) => {}): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const batch of batches) {
    onBatch(batch);
    changes.push(...batch.changes);
    if (changes.length >= count) break;
  }
  return changes;
}

test('A message with reads, writes and head gets one answer, with all results in order.', async () => {
  await withStores(1, async ([store]) => {
    await commit(store!, write('create', keyOf('there')));
    const response = await store!.ask({
      reads: [keyOf('absent'), keyOf('there')],
      writes: [write('create', keyOf('a')), write('create', keyOf('there'))],
      head: true,
    });
    assert.deepEqual(
      response.reads.map((r) => [r.found, r.object?.key?.name]),
      [
        [false, undefined],
        [true, 'there'],
      ],
    );
    assert.deepEqual(
      response.writes.map((w) => w.kind),
      [0, 2],
    );
    assert.ok(response.revision >= 2);
  });
});

test('The caller of a rejected list gets its Status.', async () => {
  await withStores(1, async ([store]) => {
    await assert.rejects(collect(store!.stream<ListPage>('list', { resource: 'x', revision: 99 })), (error) => {
      return /Too large resource version: 99, current: 1/.test((error as Error).message);
    });
  });
});

test('A follow stream delivers the commits of all replicas in order.', async () => {
  await withStores(2, async ([a, b]) => {
    const following = take(a!.stream<LogBatch>('followLog', { after: 1 }), 40);
    for (let i = 0; i < 20; i++) {
      await Promise.all([commit(a!, write('create', keyOf(`a${i}`))), commit(b!, write('create', keyOf(`b${i}`)))]);
    }
    const changes = await following;
    assert.deepEqual(
      changes.map((change) => change.revision),
      Array.from({ length: 40 }, (_, i) => i + 2),
    );
    const logged = (await collect(b!.stream<LogBatch>('readLog', { after: 1 }))).flatMap((batch) => batch.changes);
    assert.deepEqual(
      changes.map((change) => [change.key.name, String(change.value), change.uid]),
      logged.map((change) => [change.key.name, String(change.value), change.uid]),
    );
  });
});

test('A commit that is pushed to followers equals its changes in the log, also for deletes.', async () => {
  await withStores(1, async ([store]) => {
    const batches: LogBatch[] = [];
    // the first batch is read from the log and empty; from then on commits are pushed
    const stream = store!.stream<LogBatch>('followLog', { after: 1 });
    let ready = () => {};
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const following = take(stream, 3, (batch) => {
      batches.push(batch);
      ready();
    });
    await isReady;
    const selection = Buffer.from('{"labels":{"a":"b"}}');
    await commit(store!, write('create', keyOf('x'), { selection, deleting: true }));
    await commit(store!, write('update', keyOf('x'), { selection, splice: 9, deleting: true }));
    await commit(store!, write('delete', keyOf('x')));
    const pushed = await following;
    const logged = (await collect(store!.stream<LogBatch>('readLog', { after: 1 }))).flatMap((b) => b.changes);
    assert.deepEqual(JSON.parse(JSON.stringify(pushed)), JSON.parse(JSON.stringify(logged)));
    assert.equal(String(pushed[2]?.selection), String(selection));
  });
});

test('A follow stream without changes sends a heartbeat about once a second.', async () => {
  await withStores(1, async ([store]) => {
    let quiet = 0;
    for await (const batch of store!.stream<LogBatch>('followLog', { after: 1 })) {
      assert.deepEqual([batch.first, batch.last, batch.changes.length, batch.epoch], [2, 1, 0, 1]);
      if (++quiet === 2) break;
    }
  });
});

test('The check of PostgreSQL fails after PostgreSQL stops, and passes after it is back.', async () => {
  const server = await startPostgres();
  const store = await startStore(certificates, { postgresUrl: server.url });
  try {
    const failing = () =>
      store.checks
        .at('healthz')
        .find((check) => check.name === 'postgres')
        ?.failing();
    assert.equal(failing(), undefined);
    await server.kill();
    await until('the check to fail', () => failing() !== undefined);
    await server.restart();
    await until('the check to pass', () => failing() === undefined);
  } finally {
    await store.stop();
    await server.stop();
  }
});
