import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { collect, freshDatabase, keyOf, openStorage, write } from '../testing/fixture.ts';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(() => postgres.stop());

test('Two stores that commit concurrently use every revision once, without gaps, in one order.', async () => {
  const url = await freshDatabase(postgres);
  const stores = await Promise.all([openStorage(url), openStorage(url)]);
  try {
    const revisions: number[] = [];
    await Promise.all(
      stores.flatMap((store, at) =>
        Array.from({ length: 8 }, async (_, client) => {
          for (let i = 0; i < 25; i++) {
            const [outcome] = await store.commits.submit([write('create', keyOf(`${at}-${client}-${i}`))]);
            assert.equal(outcome?.kind, outcomeKind.committed);
            revisions.push(outcome!.revision);
          }
        }),
      ),
    );
    assert.deepEqual(
      revisions.sort((a, b) => a - b),
      Array.from({ length: 400 }, (_, i) => i + 2),
    );
    const [left, right] = await Promise.all(stores.map(async (store) => collect(store.log.read(1, 0))));
    assert.deepEqual(left, right);
    assert.deepEqual(
      left!.flatMap((batch) => batch.changes.map((change) => change.revision)),
      revisions,
    );
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});

test('Of two stores that update one revision concurrently exactly one succeeds.', async () => {
  const url = await freshDatabase(postgres);
  const stores = await Promise.all([openStorage(url), openStorage(url)]);
  try {
    const [created] = await stores[0]!.commits.submit([write('create', keyOf('counter'))]);
    let { revision } = created!;
    for (let round = 0; round < 20; round++) {
      const outcomes = await Promise.all(
        stores.map((store) =>
          store.commits.submit([write('update', keyOf('counter'), { expectedRevision: revision })]),
        ),
      );
      const winners = outcomes.filter(([outcome]) => outcome?.kind === outcomeKind.committed);
      assert.equal(winners.length, 1);
      revision = winners[0]![0]!.revision;
    }
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});
