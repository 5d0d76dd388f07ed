import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { type Guard, guardKind, outcomeKind, type Write } from '@tidegate/wire';
import { freshDatabase, keyOf, live, openStorage, type TestStorage, write } from '../../testing/fixture.ts';

let postgres: TestPostgres;
let storage: TestStorage;
let other: TestStorage;

before(async () => {
  postgres = await startPostgres();
  const url = await freshDatabase(postgres);
  storage = await openStorage(url);
  other = await openStorage(url);
});

after(async () => {
  await storage?.close();
  await other?.close();
  await postgres?.stop();
});

const unclaimed = (word: string): Guard => ({
  kind: guardKind.unclaimed,
  key: { resource: '', namespace: '', name: word },
});
const claiming = (name: string, ...claims: string[]): Write =>
  write('create', keyOf(name), { claims, guards: claims.map(unclaimed) });
const one = async (item: Write, by = storage) => (await by.commits.submit([item]))[0];
const kindOf = async (item: Write, by = storage) => (await one(item, by))?.kind;

test('A claim of another object is rejected, and the outcome names the failed guard.', async () => {
  assert.equal(await kindOf(claiming('first', 'ip/1', 'port/1')), outcomeKind.committed);
  const refused = await one(claiming('second', 'ip/2', 'port/1'), other);
  assert.deepEqual([refused?.kind, refused?.guard], [outcomeKind.guardFailed, 1]);
  assert.equal(await kindOf(claiming('second', 'ip/2', 'port/2'), other), outcomeKind.committed);
});

test('An update keeps the claims that it names and frees the others; a deletion frees all.', async () => {
  await one(claiming('keeper', 'ip/10', 'port/10'));
  await one(write('update', keyOf('keeper'), { claims: ['ip/10'] }));
  assert.equal(await kindOf(claiming('taker', 'port/10')), outcomeKind.committed);
  assert.equal(await kindOf(claiming('late', 'ip/10')), outcomeKind.guardFailed);
  await one(write('delete', keyOf('keeper')));
  assert.equal(await kindOf(claiming('late', 'ip/10')), outcomeKind.committed);
});

test('A write that is rejected for another reason has no claims.', async () => {
  const absent = live({ resource: 'namespaces', namespace: '', name: 'absent' });
  const item = claiming('nowhere', 'ip/20');
  assert.equal(await kindOf({ ...item, guards: [absent, ...(item.guards ?? [])] }), outcomeKind.guardFailed);
  assert.equal(await kindOf(claiming('somewhere', 'ip/20')), outcomeKind.committed);
});

test('Of many concurrent writes with the same claim, in one batch and by two stores, exactly one succeeds.', async () => {
  const words = Array.from({ length: 8 }, (_, i) => `ip/3${i}`);
  const attempted = words.flatMap((word) => Array.from({ length: 6 }, (_, i) => ({ word, i })));
  const outcomes = await Promise.all(
    attempted.map(({ word, i }) =>
      kindOf(claiming(`${word.replace('/', '-')}-${i}`, word), i % 2 === 0 ? storage : other),
    ),
  );
  const won = attempted.filter((_, i) => outcomes[i] === outcomeKind.committed).map(({ word }) => word);
  assert.deepEqual(won.sort(), words);
});
