import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startPostgres } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { collect, freshDatabase, keyOf, listAt, openPool, openStorage, write } from '../testing/fixture.ts';
import { Expiry } from './for-controllers/expiry.ts';
import { GarbageQueue } from './for-controllers/garbage-queue.ts';
import { LeaderLease } from './for-controllers/leader-lease.ts';
import { rotateLog, tableSizes } from './log/head.ts';

const page = readFileSync(new URL('../../../../docs/operate/postgresql.md', import.meta.url), 'utf8');
const grants = /```sql\n(.*?)```/s.exec(page)?.[1] as string;

test('A store needs no more rights than those in the documentation.', async () => {
  const postgres = await startPostgres();
  const url = await freshDatabase(postgres);
  // the owner makes the schema
  await (await openStorage(url)).close();
  const owner = openPool(url);
  await owner.query("CREATE ROLE tidegate_store LOGIN PASSWORD 'store' NOSUPERUSER");
  for (const grant of grants.split(';').filter((text) => text.trim() !== '')) await owner.query(grant);

  const least = new URL(url);
  [least.username, least.password] = ['tidegate_store', 'store'];
  const storage = await openStorage(least.href);
  const pool = storage.database.streams;
  try {
    const [created] = await storage.commits.submit([write('create', keyOf('a'), { lifetimeSeconds: 60 })]);
    assert.equal(created?.kind, outcomeKind.committed);
    await storage.commits.submit([write('update', keyOf('a'), { lifetimeSeconds: 60 }), write('create', keyOf('b'))]);
    assert.equal((await storage.reads.read([keyOf('a')]))[0]?.found, true);
    assert.equal((await listAt(storage, created?.revision ?? 0)).length, 1);
    assert.equal((await collect(storage.log.read(1, 0)))[0]?.changes.length, 3);
    const fence = (await new LeaderLease(pool, { name: 'l', holder: 'me', seconds: 9 }).hold()) as number;
    await new Expiry({ pool, commits: storage.commits, lease: 'l' }).deleteExpired(fence);
    const queue = new GarbageQueue(pool);
    await queue.note();
    await queue.settle(await queue.due(1));
    for (let slot = 0; slot < 8; slot++) {
      await storage.commits.submit([write('create', keyOf(`slot-${slot}`))]);
      assert.equal(await rotateLog(pool, 0), 'rotated');
    }
    assert.equal((await tableSizes(pool)).length, 2);
    await owner.query("UPDATE tidegate.head SET system_identifier = 'elsewhere', server_started_at = '-infinity'");
    const [moved] = await storage.commits.submit([write('delete', keyOf('b'))]);
    assert.equal(moved?.kind, outcomeKind.committed);
    await assert.rejects(pool.query('DROP TABLE tidegate.objects'), /must be owner/);
    await assert.rejects(pool.query('UPDATE tidegate.log SET kind = 0'), /permission denied/);
  } finally {
    await storage.close();
    await owner.close();
    await postgres.stop();
  }
});
