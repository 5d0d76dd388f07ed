import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres, until } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { freshDatabase, keyOf, openStorage, type TestStorage, write } from '../../testing/fixture.ts';
import { Expiry } from './expiry.ts';
import { LeaderLease } from './leader-lease.ts';

let postgres: TestPostgres;
let storage: TestStorage;

before(async () => {
  postgres = await startPostgres();
  storage = await openStorage(await freshDatabase(postgres));
});

after(async () => {
  await storage?.close();
  await postgres?.stop();
});

const sweep = (fence: number) =>
  new Expiry({ pool: storage.database.streams, commits: storage.commits, lease: 'own' }).deleteExpired(fence);
const lease = (holder: string, seconds = 60) =>
  new LeaderLease(storage.database.streams, { name: 'own', holder, seconds });

async function found(name: string): Promise<boolean> {
  const [read] = await storage.reads.read([keyOf(name)]);
  return read?.found === true;
}

test('An expired object is deleted with a change in the log; other objects stay.', async () => {
  const fence = (await lease('a').hold()) as number;
  await storage.commits.submit([
    write('create', keyOf('long'), { lifetimeSeconds: 3600 }),
    write('create', keyOf('forever')),
  ]);
  assert.equal(await sweep(fence), 0);
  await storage.commits.submit([write('create', keyOf('short'), { lifetimeSeconds: 1 })]);
  await until('the sweep to find it', async () => (await sweep(fence)) === 1);
  assert.deepEqual(await Promise.all(['short', 'long', 'forever'].map(found)), [false, true, true]);
  const last = storage.committed.at(-1);
  assert.deepEqual(
    last?.writes.map((one) => [one.kind, one.key.name]),
    [[2, 'short']],
  );
});

test('An update restarts or removes the lifetime.', async () => {
  const fence = (await lease('a').hold()) as number;
  await storage.commits.submit([
    write('create', keyOf('renewed'), { lifetimeSeconds: 1 }),
    write('create', keyOf('freed'), { lifetimeSeconds: 1 }),
    write('create', keyOf('probe'), { lifetimeSeconds: 1 }),
  ]);
  await storage.commits.submit([
    write('update', keyOf('renewed'), { lifetimeSeconds: 3600 }),
    write('update', keyOf('freed')),
  ]);
  await until('the others to end', async () => (await sweep(fence)) === 1);
  assert.deepEqual(await Promise.all(['renewed', 'freed', 'probe'].map(found)), [true, true, false]);
});

test('A replica that has lost the lease deletes nothing, and no fence is issued twice.', async () => {
  const first = (await lease('a').hold()) as number;
  await storage.commits.submit([write('create', keyOf('guarded'), { lifetimeSeconds: 1 })]);
  await lease('a').release();
  const second = (await lease('b').hold()) as number;
  assert.ok(second > first);
  assert.equal(await lease('a').hold(), undefined);
  await until('its time to be over', async () => {
    const rows = await storage.database.reads.query(
      'SELECT 1 FROM tidegate.objects WHERE expires_at < clock_timestamp()',
    );
    return rows.length === 1;
  });
  assert.equal(await sweep(first), 0);
  assert.equal(await found('guarded'), true);
  assert.equal(await sweep(second), 1);
});

test('A write under an old fence is rejected.', async () => {
  const fence = (await lease('b').hold()) as number;
  const guard = (number: number) => [{ kind: 2 as const, key: keyOf('own', '', ''), fence: number }];
  const [stale, current] = await storage.commits.submit([
    write('create', keyOf('stale'), { guards: guard(fence - 1) }),
    write('create', keyOf('current'), { guards: guard(fence) }),
  ]);
  assert.deepEqual([stale?.kind, current?.kind], [outcomeKind.guardFailed, outcomeKind.committed]);
});
