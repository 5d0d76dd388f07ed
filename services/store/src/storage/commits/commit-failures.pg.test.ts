import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres, until } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { cuttingProxy } from '../../testing/cutting-proxy.ts';
import { collect, freshDatabase, keyOf, openPool, openStorage, write } from '../../testing/fixture.ts';

/** Sooner than a gateway gives up, on a slow machine too. */
const SOON_MS = 12_000;

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(() => postgres.stop());

test('A commit whose answer was lost is sent again, and executed once.', async () => {
  const url = await freshDatabase(postgres);
  const proxy = await cuttingProxy(url);
  const storage = await openStorage(proxy.url);
  try {
    await storage.commits.submit([write('create', keyOf('before'))]);
    const cut = proxy.cutAnswerTo('cut-me');
    const [outcome] = await storage.commits.submit([write('create', keyOf('cut-me'))]);
    await cut;
    assert.deepEqual([outcome?.kind, outcome?.revision], [outcomeKind.committed, 3]);
    const batches = await collect(storage.log.read(1, 0));
    assert.deepEqual(
      batches.flatMap((batch) => batch.changes.map((change) => change.key.name)),
      ['before', 'cut-me'],
    );
  } finally {
    await storage.close();
    await proxy.close();
  }
});

test('Every store returns the outcome that another store has recorded.', async () => {
  const url = await freshDatabase(postgres);
  const [a, b] = await Promise.all([openStorage(url), openStorage(url)]);
  try {
    const update = write('create', keyOf('shared'));
    const [first] = await a.commits.submit([update]);
    const [second] = await b.commits.submit([update]);
    assert.deepEqual(second, first);
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
});

test('A held lock of the head delays commits, and does not fail them.', async () => {
  const url = await freshDatabase(postgres);
  const storage = await openStorage(url);
  const holder = openPool(url);
  try {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let locked = () => {};
    const hasLock = new Promise<void>((resolve) => (locked = resolve));
    const holding = holder.transaction('', async (run) => {
      await run('SELECT 1 FROM tidegate.head FOR UPDATE');
      locked();
      await held;
    });
    await hasLock;
    const writing = storage.commits.submit([write('create', keyOf('waits'))]);
    const watcher = openPool(url);
    await until('the commit to wait for the lock', async () => {
      const [row] = await watcher.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      return row?.[0] === 1;
    });
    await watcher.close();
    release();
    await holding;
    assert.equal((await writing)[0]?.kind, outcomeKind.committed);
  } finally {
    await holder.close();
    await storage.close();
  }
});

test('While PostgreSQL is down writes are soon UNAVAILABLE and reads fail with 503; after its return both work.', async () => {
  const server = await startPostgres();
  const storage = await openStorage(server.url);
  try {
    await storage.commits.submit([write('create', keyOf('early'))]);
    await server.kill();
    await until('the loss to be noticed', async () => {
      await storage.heads.read().catch(() => {});
      return storage.database.failing();
    });
    const begun = performance.now();
    const [write503, read503] = await Promise.allSettled([
      storage.commits.submit([write('create', keyOf('down'))]),
      storage.reads.read([keyOf('early')]),
    ]);
    assert.ok(performance.now() - begun < SOON_MS);
    assert.equal(write503.status === 'fulfilled' && write503.value[0]?.kind, outcomeKind.unavailable);
    assert.equal(read503.status === 'rejected' && read503.reason.code, 503);
    await server.restart();
    const [outcome] = await storage.commits.submit([write('create', keyOf('up'))]);
    assert.equal(outcome?.kind, outcomeKind.committed);
    const found = await storage.reads.read([keyOf('early'), keyOf('down'), keyOf('up')]);
    assert.deepEqual(
      found.map((r) => r.found),
      [true, false, true],
    );
    assert.equal(storage.database.failing(), undefined);
  } finally {
    await storage.close();
    await server.stop();
  }
});
