import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { ChangeQueries } from '../../storage/for-controllers/change-queries.ts';
import { freshDatabase, keyOf, openStorage, type TestStorage, write } from '../../testing/fixture.ts';
import { ChangedKeys } from './changed-keys.ts';

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

const opened = () =>
  new ChangedKeys(new ChangeQueries(storage.database.streams), [
    { resource: 'namespaces' },
    { resource: 'configmaps', name: 'watched' },
  ]);

test('A watched key is returned once, whatever was written to it; other keys are not.', async () => {
  const changes = opened();
  assert.equal(await changes.next(), undefined);
  assert.deepEqual(await changes.next(), []);
  const [namespace, watched] = [keyOf('team', '', 'namespaces'), keyOf('watched')];
  await storage.commits.submit([write('create', namespace), write('create', watched), write('create', keyOf('other'))]);
  await storage.commits.submit([write('delete', watched)]);
  const changedKeys = (await changes.next()) ?? [];
  assert.deepEqual(
    new Set(changedKeys.map(({ resource, name }) => `${resource} ${name}`)),
    new Set(['namespaces team', 'configmaps watched']),
  );
  assert.equal(changedKeys.length, 2);
  assert.deepEqual(await changes.next(), []);
});

test('Where the log does not reach back to the last call, every object may have changed.', async () => {
  const changes = opened();
  await changes.next();
  await storage.commits.submit([write('create', keyOf('late'))]);
  await storage.database.streams.query('UPDATE tidegate.head SET floor = revision');
  assert.equal(await changes.next(), undefined);
  assert.deepEqual(await changes.next(), []);
  changes.reset();
  assert.equal(await changes.next(), undefined);
});
