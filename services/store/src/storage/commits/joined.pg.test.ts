import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { type Guard, guardKind, type Key, outcomeKind, type Write } from '@tidegate/wire';
import {
  freshDatabase,
  keyOf,
  openStorage,
  type TestStorage,
  textOf,
  textValue,
  write,
} from '../../testing/fixture.ts';

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

const at = (key: Key, fence: number): Guard => ({ kind: guardKind.atRevision, key, fence });
const one = async (item: Write, by = storage) => (await by.commits.submit([item]))[0];
const read = async (key: Key) => (await storage.reads.read([key]))[0]?.object;

/** A new object together with the next state of a counter, both or neither. */
function counted(name: string, counter: Key, { revision, text }: { revision: number; text: string }): Write {
  const key = keyOf(name);
  const guards = [at(key, 0), at(counter, revision)];
  const joined = [write('update', counter, { expectedRevision: revision, value: textValue(text), guards })];
  return write('create', key, { guards: [at(counter, revision)], joined });
}

test('A write and its joined writes are committed together, each with its own revision.', async () => {
  const counter = keyOf('counter');
  const made = await one(write('create', counter, { value: textValue('0') }));
  const outcome = await one(counted('first', counter, { revision: made?.revision ?? 0, text: '1' }));
  assert.equal(outcome?.kind, outcomeKind.committed);
  const state = await read(counter);
  assert.equal(textOf(state?.value as Buffer), '1');
  assert.deepEqual([state?.revision, (await read(keyOf('first')))?.revision], [outcome.revision + 1, outcome.revision]);
  const logged = storage.committed.at(-1);
  assert.deepEqual(
    logged?.writes.map(({ key }) => key.name),
    ['first', 'counter'],
  );
});

test('When either write is rejected nothing is written.', async () => {
  const counter = keyOf('other-counter');
  const revision = (await one(write('create', counter, { value: textValue('0') })))?.revision ?? 0;
  await one(write('create', keyOf('taken')));
  assert.equal((await one(counted('taken', counter, { revision, text: '1' })))?.kind, outcomeKind.alreadyExists);
  assert.equal((await read(counter))?.revision, revision);
  const stale = await one(counted('late', counter, { revision: revision - 1, text: '1' }));
  assert.deepEqual([stale?.kind, stale?.guard], [outcomeKind.guardFailed, 0]);
  assert.equal(await read(keyOf('late')), null);
});

test('A joined write that is sent twice is executed once.', async () => {
  const counter = keyOf('third-counter');
  const revision = (await one(write('create', counter, { value: textValue('0') })))?.revision ?? 0;
  const item = counted('once', counter, { revision, text: '1' });
  const [first, again] = [await one(item), await one(item, other)];
  assert.deepEqual([again?.kind, again?.revision], [outcomeKind.committed, first?.revision]);
  assert.equal((await read(counter))?.revision, (first?.revision ?? 0) + 1);
});

test('Of many concurrent counts, in one batch and by two stores, none is lost.', async () => {
  const counter = keyOf('shared-counter');
  await one(write('create', counter, { value: textValue('0') }));
  const count = async (name: string, by: TestStorage) => {
    for (;;) {
      const state = await read(counter);
      const text = String(Number(textOf(state?.value as Buffer)) + 1);
      const outcome = await one(counted(name, counter, { revision: state?.revision ?? 0, text }), by);
      if (outcome?.kind === outcomeKind.committed) return;
      assert.equal(outcome?.kind, outcomeKind.guardFailed);
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => count(`many-${i}`, i % 2 === 0 ? storage : other)));
  assert.equal(textOf((await read(counter))?.value as Buffer), '20');
});
