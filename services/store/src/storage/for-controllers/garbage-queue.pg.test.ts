import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { freshDatabase, keyOf, openStorage, type TestStorage, write } from '../../testing/fixture.ts';
import { GarbageQueue } from './garbage-queue.ts';

let postgres: TestPostgres;
let storage: TestStorage;
let queue: GarbageQueue;

before(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  await storage?.close();
  storage = await openStorage(await freshDatabase(postgres));
  queue = new GarbageQueue(storage.database.streams);
  await queue.note();
});
after(async () => {
  await storage?.close();
  await postgres?.stop();
});

const commit = async (...writes: Parameters<TestStorage['commits']['submit']>[0]) => {
  for (const one of writes) await storage.commits.submit([one]);
};
const dependent = (name: string, ...ties: string[]) => write('create', keyOf(name), { ties });
/** Reads the log, and returns and settles the suspects. */
const noted = async () => {
  while (await queue.note());
  const due = await queue.due(1000);
  await queue.settle(due);
  return due.map(({ key }) => key.name).sort();
};

test('The dependents of a deleted object are suspects, and no other objects.', async () => {
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

test('An object whose ties change is a suspect; a write that keeps the ties adds nothing.', async () => {
  await commit(dependent('tied', 'owner/x'), write('create', keyOf('free')));
  assert.deepEqual(await noted(), ['tied']);
  await commit(write('update', keyOf('tied'), { ties: ['owner/x'] }), write('update', keyOf('free')));
  assert.deepEqual(await noted(), []);
  await commit(write('update', keyOf('tied'), { ties: ['owner/x', 'owner/y'] }));
  assert.deepEqual(await noted(), ['tied']);
});

test('An owner and its dependent that are created and deleted between two reads of the log leave nothing behind.', async () => {
  await commit(write('create', keyOf('owner')), dependent('left', 'owner/uid-owner'), write('delete', keyOf('owner')));
  await commit(dependent('short', 'owner/uid-owner'), write('delete', keyOf('short')));
  assert.ok((await noted()).includes('left'));
});

test('A reason that is added during an examination is not settled with the earlier one.', async () => {
  await commit(write('create', keyOf('owner')), dependent('a', 'owner/uid-owner'));
  await queue.note();
  const seen = await queue.due(10);
  await commit(write('delete', keyOf('owner')));
  await queue.note();
  await queue.settle(seen);
  assert.deepEqual(await noted(), ['a']);
});

test('A postponed suspect is due after its delay, and counts its attempts.', async () => {
  await commit(dependent('a', 'owner/x'), dependent('b', 'owner/x'));
  await queue.note();
  const [a, b] = (await queue.due(10)) as [never, never];
  await queue.postpone([
    { suspect: a, delayMs: 3_600_000 },
    { suspect: b, delayMs: 0 },
  ]);
  const again = await queue.due(10);
  assert.deepEqual(
    again.map(({ key, attempts }) => [key.name, attempts]),
    [['b', 1]],
  );
  assert.equal((await queue.count()).all, 2);
});

test('A waiting owner is due when the last dependent that blocks it is gone; other objects do not block it.', async () => {
  const waiting = { ties: ['blocks/uid-owner', 'waits/foreground'], deleting: true };
  await commit(write('create', keyOf('owner'), waiting));
  await commit(
    dependent('one', 'blocks/uid-owner'),
    dependent('two', 'blocks/uid-owner'),
    dependent('free', 'owner/uid-owner'),
  );
  await commit(write('create', keyOf('abroad', 'elsewhere'), { ties: ['blocks/uid-owner'] }));
  await queue.note();
  const due = await queue.due(10);
  const owner = due.find(({ key }) => key.name === 'owner');
  assert.ok(owner);
  await queue.settle(due.filter((one) => one !== owner));
  await queue.awaitDependents(owner, 'uid-owner');
  assert.equal((await queue.count()).waiting, 1);
  assert.deepEqual(await noted(), ['abroad', 'free', 'one', 'two']);
  await commit(write('delete', keyOf('one')));
  assert.deepEqual(await noted(), []);
  await commit(write('update', keyOf('two'), { ties: ['owner/uid-owner'] }));
  assert.deepEqual(await noted(), ['owner', 'two']);
});

test('Where the log does not reach back far enough, every object with ties is a suspect.', async () => {
  await commit(write('create', keyOf('free')), dependent('a', 'owner/x'), dependent('b', 'waits/orphan'));
  await noted();
  await commit(write('create', keyOf('late')));
  await storage.database.streams.query('UPDATE tidegate.head SET floor = revision');
  assert.deepEqual(await noted(), ['a', 'b']);
  assert.deepEqual(await noted(), []);
});

test('A long log is read in portions to its end, and two stores may read it at once.', async () => {
  await commit(write('create', keyOf('owner')));
  const names = Array.from({ length: 300 }, (_, i) => `many-${i}`);
  await storage.commits.submit(names.map((name) => dependent(name, 'owner/uid-owner')));
  assert.equal((await noted()).length, 300);
  await storage.commits.submit(names.map((name) => write('update', keyOf(name), { ties: ['owner/x'] })));
  const [row] = await storage.database.streams.query('SELECT tidegate.note_suspects(100)');
  assert.equal(row?.[0], true);
  assert.equal((await queue.due(1000)).length, 100);
  await Promise.all([queue.note(), new GarbageQueue(storage.database.reads).note()]);
  assert.equal((await noted()).length, 300);
});
