import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { freshDatabase, keyOf, openStorage, type TestStorage, write } from '../testing/fixture.ts';
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
  new ChangedKeys(storage.database.streams, [{ resource: 'namespaces' }, { resource: 'configmaps', name: 'watched' }]);

test('what is watched is told once, whatever was done to it; the rest is not', async () => {
  const changes = opened();
  assert.equal(await changes.look(), undefined);
  assert.deepEqual(await changes.look(), []);
  const [namespace, watched] = [keyOf('team', '', 'namespaces'), keyOf('watched')];
  await storage.commits.submit([write('create', namespace), write('create', watched), write('create', keyOf('other'))]);
  await storage.commits.submit([write('delete', watched)]);
  const told = (await changes.look()) ?? [];
  assert.deepEqual(
    new Set(told.map(({ resource, name }) => `${resource} ${name}`)),
    new Set(['namespaces team', 'configmaps watched']),
  );
  assert.equal(told.length, 2);
  assert.deepEqual(await changes.look(), []);
});

test('where the log does not reach back so far, all may have changed', async () => {
  const changes = opened();
  await changes.look();
  await storage.commits.submit([write('create', keyOf('late'))]);
  await storage.database.streams.query('UPDATE tidegate.head SET floor = revision');
  assert.equal(await changes.look(), undefined);
  assert.deepEqual(await changes.look(), []);
  changes.forget();
  assert.equal(await changes.look(), undefined);
});
