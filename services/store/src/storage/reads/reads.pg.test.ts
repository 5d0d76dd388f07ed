import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
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

before(async () => {
  postgres = await startPostgres();
  storage = await openStorage(await freshDatabase(postgres));
});

after(async () => {
  await storage?.close();
  await postgres?.stop();
});

test('Small objects are read together, each at its place, and missing objects are marked.', async () => {
  await storage.commits.submit(['a', 'b'].map((name) => write('create', keyOf(name), { value: textValue(name) })));
  const read = await storage.reads.read(['b', 'missing', 'a', 'b'].map((name) => keyOf(name)));
  assert.deepEqual(
    read.map(({ found, object }) => (found && object ? textOf(object.value) : found)),
    ['b', false, 'a', 'b'],
  );
});

test('An answer has a limit of bytes: large objects beyond it are returned when they are read again.', async () => {
  const names = Array.from({ length: 8 }, (_, i) => `large-${i}`);
  const text = 'x'.repeat(1 << 20);
  for (const name of names)
    await storage.commits.submit([write('create', keyOf(name), { value: textValue(text + name) })]);
  const got = new Set<string>();
  let messages = 0;
  for (let left = names; left.length > 0; messages++) {
    const outcomes = await storage.reads.read(left.map((name) => keyOf(name)));
    const bytes = outcomes.reduce((sum, { object }) => sum + (object?.value.length ?? 0), 0);
    assert.ok(bytes > 0 && bytes < 6 << 20, `${bytes} bytes`);
    for (const { object } of outcomes) if (object) got.add(textOf(object.value).slice(text.length));
    left = left.filter((_, i) => outcomes[i]?.again);
  }
  assert.deepEqual([...got].sort(), names);
  assert.ok(messages > 1);
});
