import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { freshDatabase, keyOf, openStorage, type TestStorage, write } from '../testing/fixture.ts';
import { Suspects } from './suspects.ts';

let postgres: TestPostgres;
let storage: TestStorage;
let suspects: Suspects;

before(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  await storage?.close();
  storage = await openStorage(await freshDatabase(postgres));
  suspects = new Suspects(storage.database.streams);
  await suspects.note();
});
after(async () => {
  await storage?.close();
  await postgres?.stop();
});

const commit = async (...writes: Parameters<TestStorage['commits']['submit']>[0]) => {
  for (const one of writes) await storage.commits.submit([one]);
};
const dependent = (name: string, ...ties: string[]) => write('create', keyOf(name), { ties });
/** Looks, answers who is suspect, and settles it. */
const noted = async () => {
  while (await suspects.note());
  const due = await suspects.due(1000);
  await suspects.settle(due);
  return due.map(({ key }) => key.name).sort();
};

test('dependents of what is deleted are suspect, and nothing else is', async () => {
  await commit(write('create', keyOf('owner')), write('create', keyOf('other')));
  await commit(
    dependent('a', 'owner/uid-owner'),
    dependent('b', 'blocks/uid-owner'),
    dependent('c', 'owner/uid-other'),
  );
  assert.deepEqual(await noted(), ['a', 'b', 'c']);
  await commit(write('delete', keyOf('owner')));
  assert.deepEqual(await noted(), ['a', 'b']);
  assert.deepEqual(await noted(), []);
});

test('who gets other ties is suspect; a write that leaves them as they are is nothing new', async () => {
  await commit(dependent('tied', 'owner/x'), write('create', keyOf('free')));
  assert.deepEqual(await noted(), ['tied']);
  await commit(write('update', keyOf('tied'), { ties: ['owner/x'] }), write('update', keyOf('free')));
  assert.deepEqual(await noted(), []);
  await commit(write('update', keyOf('tied'), { ties: ['owner/x', 'owner/y'] }));
  assert.deepEqual(await noted(), ['tied']);
});

test('an owner and its dependent that are made and deleted between two looks leave nobody behind', async () => {
  await commit(write('create', keyOf('owner')), dependent('left', 'owner/uid-owner'), write('delete', keyOf('owner')));
  await commit(dependent('short', 'owner/uid-owner'), write('delete', keyOf('short')));
  assert.ok((await noted()).includes('left'));
});

test('a reason that comes while somebody looks is not settled with the one before', async () => {
  await commit(write('create', keyOf('owner')), dependent('a', 'owner/uid-owner'));
  await suspects.note();
  const seen = await suspects.due(10);
  await commit(write('delete', keyOf('owner')));
  await suspects.note();
  await suspects.settle(seen);
  assert.deepEqual(await noted(), ['a']);
});

test('what was looked at in vain comes again after its time, and knows how often', async () => {
  await commit(dependent('a', 'owner/x'), dependent('b', 'owner/x'));
  await suspects.note();
  const [a, b] = (await suspects.due(10)) as [never, never];
  await suspects.postpone([
    { suspect: a, delayMs: 3_600_000 },
    { suspect: b, delayMs: 0 },
  ]);
  const again = await suspects.due(10);
  assert.deepEqual(
    again.map(({ key, attempts }) => [key.name, attempts]),
    [['b', 1]],
  );
  assert.equal((await suspects.count()).all, 2);
});

test('an owner that waits is due when the last that blocks it is gone; others and itself do not hold it', async () => {
  const waiting = { ties: ['blocks/uid-owner', 'waits/foreground'], deleting: true };
  await commit(write('create', keyOf('owner'), waiting));
  await commit(
    dependent('one', 'blocks/uid-owner'),
    dependent('two', 'blocks/uid-owner'),
    dependent('free', 'owner/uid-owner'),
  );
  await commit(write('create', keyOf('abroad', 'elsewhere'), { ties: ['blocks/uid-owner'] }));
  await suspects.note();
  const due = await suspects.due(10);
  const owner = due.find(({ key }) => key.name === 'owner');
  assert.ok(owner);
  await suspects.settle(due.filter((one) => one !== owner));
  await suspects.awaitDependents(owner, 'uid-owner');
  assert.equal((await suspects.count()).waiting, 1);
  assert.deepEqual(await noted(), ['abroad', 'free', 'one', 'two']);
  await commit(write('delete', keyOf('one')));
  assert.deepEqual(await noted(), []);
  await commit(write('update', keyOf('two'), { ties: ['owner/uid-owner'] }));
  assert.deepEqual(await noted(), ['owner', 'two']);
});

test('where the log does not reach back so far, whatever has ties is suspect', async () => {
  await commit(write('create', keyOf('free')), dependent('a', 'owner/x'), dependent('b', 'waits/orphan'));
  await noted();
  await commit(write('create', keyOf('late')));
  await storage.database.streams.query('UPDATE tidegate.head SET floor = revision');
  assert.deepEqual(await noted(), ['a', 'b']);
  assert.deepEqual(await noted(), []);
});

test('a long log is looked through in parts, to its end, and two stores may look at once', async () => {
  await commit(write('create', keyOf('owner')));
  const names = Array.from({ length: 300 }, (_, i) => `many-${i}`);
  await storage.commits.submit(names.map((name) => dependent(name, 'owner/uid-owner')));
  assert.equal((await noted()).length, 300);
  await storage.commits.submit(names.map((name) => write('update', keyOf(name), { ties: ['owner/x'] })));
  const [row] = await storage.database.streams.query('SELECT tidegate.note_suspects(100)');
  assert.equal(row?.[0], true);
  assert.equal((await suspects.due(1000)).length, 100);
  await Promise.all([suspects.note(), new Suspects(storage.database.reads).note()]);
  assert.equal((await noted()).length, 300);
});
