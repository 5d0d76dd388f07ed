import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findPgbouncer, startPgbouncer, startPostgres, type TestPostgres, until } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { collect, keyOf, listAt, openStorage, type TestStorage, write } from '../testing/fixture.ts';
import { rotateLog } from './log/head.ts';

/** The first that keeps named statements in transaction mode. */
const NAMED = 1.21;
const found = await findPgbouncer();

for (const prepare of [false, true]) {
  const without =
    typeof found === 'string'
      ? found
      : prepare && found.version < NAMED && `pgbouncer ${found.version} has no named statements`;
  describe(`Two stores behind pgbouncer, ${prepare ? 'with' : 'without'} named statements`, { skip: without }, () => {
    let postgres: TestPostgres;
    let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
    let stores: TestStorage[];
    before(async () => {
      if (typeof found === 'string') return;
      postgres = await startPostgres();
      pooler = await startPgbouncer(found, postgres);
      const pooled = { postgresDirectUrl: postgres.url, postgresPrepare: prepare };
      stores = [await openStorage(pooler.url, undefined, pooled), await openStorage(pooler.url, undefined, pooled)];
    });
    after(async () => {
      for (const store of stores ?? []) await store.close();
      await pooler?.stop();
      await postgres?.stop();
    });

    test('commit, read, list at exact revisions and read the log', async () => {
      const revisions: number[] = [];
      await Promise.all(
        stores.flatMap((store, at) =>
          Array.from({ length: 8 }, async (_, client) => {
            for (let i = 0; i < 25; i++) {
              const [outcome] = await store.commits.submit([write('create', keyOf(`${at}-${client}-${i}`))]);
              assert.equal(outcome?.kind, outcomeKind.committed, String(outcome?.message));
              revisions.push(outcome!.revision);
            }
          }),
        ),
      );
      revisions.sort((a, b) => a - b);
      assert.deepEqual(
        revisions,
        Array.from({ length: 400 }, (_, i) => i + 2),
      );
      for (const store of stores) {
        assert.equal((await store.heads.read()).revision, 401);
        assert.equal((await listAt(store, 101)).length, 100);
        const changes = (await collect(store.log.read(1, 0))).flatMap((batch) => batch.changes);
        assert.deepEqual(
          changes.map((change) => change.revision),
          revisions,
        );
      }
      assert.equal((await stores[1]!.reads.read([keyOf('0-0-0')]))[0]?.found, true);
    });

    test('rotate the log', async () => {
      const { revision } = await stores[0]!.heads.read();
      await until('the floor to rise', async () => {
        await rotateLog(stores[0]!.database.streams, 0.01);
        await stores[1]!.commits.submit([write('create', keyOf(`later-${Math.random()}`))]);
        return (await stores[1]!.heads.read()).floor > revision;
      });
    });
  });
}
