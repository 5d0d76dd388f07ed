import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresOfVersion, startPostgres, type TestPostgres, until } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import {
  collect,
  keyOf,
  listAt,
  live,
  openPool,
  openStorage,
  type TestStorage,
  textOf,
  textValue,
  write,
} from '../testing/fixture.ts';
import { Expiry } from './for-controllers/expiry.ts';
import { LeaderLease } from './for-controllers/leader-lease.ts';
import { rotateLog } from './log/head.ts';

for (const version of ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']) {
  const binaries = await postgresOfVersion(version);
  describe(`On PostgreSQL ${version.split('.')[0]}`, { skip: typeof binaries === 'string' && binaries }, () => {
    let server: TestPostgres;
    let storage: TestStorage;
    before(async () => {
      if (typeof binaries !== 'string') server = await startPostgres({ binaries });
      storage = await openStorage(server.url);
    });
    after(async () => {
      await storage?.close();
      await server?.stop();
    });

    const submit = async (...writes: Parameters<TestStorage['commits']['submit']>[0][number][]) =>
      (await storage.commits.submit(writes)).map(({ kind, revision }) => ({ kind, revision }));
    const { committed, conflict, guardFailed } = outcomeKind;

    test('the server has that version', async () => {
      const pool = openPool(server.url);
      const [row] = await pool.query("SELECT current_setting('server_version_num')::int / 10000");
      await pool.close();
      assert.deepEqual(row, [Number(version.split('.')[0])]);
    });

    test('each commit gets one revision, with conflicts and guards, and a repeated commit is executed once', async () => {
      const create = write('create', keyOf('a'), { value: textValue('one') });
      const [first] = await submit(create);
      assert.equal(first?.kind, committed);
      assert.deepEqual(await submit(create), [first]);
      const update = write('update', keyOf('a'), { expectedRevision: first!.revision, value: textValue('two') });
      assert.deepEqual(await submit(update), [{ kind: committed, revision: first!.revision + 1 }]);
      const late = write('update', keyOf('a'), { expectedRevision: first!.revision, value: textValue('three') });
      assert.equal((await submit(late))[0]?.kind, conflict);
      const guarded = write('create', keyOf('b'), { guards: [live(keyOf('nobody', '', 'namespaces'))] });
      assert.equal((await submit(guarded))[0]?.kind, guardFailed);
      const batch = Array.from({ length: 300 }, (_, i) => write('create', keyOf(`batch-${i}`)));
      const outcomes = await submit(...batch);
      assert.deepEqual(
        outcomes,
        batch.map((_, i) => ({ kind: committed, revision: first!.revision + 2 + i })),
      );
      const listed = await listAt(storage, first!.revision);
      assert.deepEqual(
        listed.map((object) => textOf(object.value)),
        ['one'],
      );
      const [now] = await storage.reads.read([keyOf('a')]);
      assert.equal(textOf(now!.object!.value), 'two');
      const changes = (await collect(storage.log.read(first!.revision - 1, 0))).flatMap((read) => read.changes);
      assert.deepEqual(
        changes.map((change) => change.revision),
        Array.from({ length: 302 }, (_, i) => first!.revision + i),
      );
    });

    test('an expired object is deleted under the lease', async () => {
      const { streams: pool } = storage.database;
      const fence = (await new LeaderLease(pool, { name: 'own', holder: 'a', seconds: 60 }).hold()) as number;
      await submit(write('create', keyOf('short'), { lifetimeSeconds: 1 }));
      const expiry = new Expiry({ pool, commits: storage.commits, lease: 'own' });
      await until('the sweep to find it', async () => (await expiry.deleteExpired(fence)) === 1);
      assert.equal((await storage.reads.read([keyOf('short')]))[0]?.found, false);
    });

    test('the log is rotated, and history below the floor is truncated', async () => {
      const { revision } = await storage.heads.read();
      await until('the floor to rise', async () => {
        await rotateLog(storage.database.streams, 0.01);
        await submit(write('create', keyOf(`later-${Math.random()}`)));
        return (await storage.heads.read()).floor > revision;
      });
      assert.equal((await listAt(storage, (await storage.heads.read()).revision)).length > 300, true);
    });
  });
}
