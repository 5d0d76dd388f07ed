import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { type ListPage, outcomeKind, type StoredObject } from '@tidegate/wire';
import {
  freshDatabase,
  keyOf,
  listAt,
  openPool,
  openStorage,
  type TestStorage,
  textValue,
  write,
} from '../../testing/fixture.ts';

let postgres: TestPostgres;
let storage: TestStorage;
let url: string;

before(async () => {
  postgres = await startPostgres();
  url = await freshDatabase(postgres);
  storage = await openStorage(url);
});

after(async () => {
  await storage.close();
  await postgres.stop();
});

/** The same on each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function text(objects: readonly StoredObject[]): string[] {
  return objects.map((o) => `${o.key.namespace}/${o.key.name}@${o.revision} ${o.value} ${o.deleting}`);
}

test('The objects after a page are counted at its revision, for every range and after any change.', async () => {
  const random = randomNumbers(11);
  const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
  const resource = 'counted';
  const revisions: number[] = [];
  for (let i = 0; i < 120; i++) {
    const key = keyOf(names[random(20)] as string, `n${random(2)}`, resource);
    const [outcome] = await storage.commits.submit([write((['create', 'update', 'delete'] as const)[random(3)]!, key)]);
    if (outcome?.kind === outcomeKind.committed) revisions.push(outcome.revision);
  }
  for (const revision of [0, ...revisions]) {
    const all = await listAt(storage, revision, resource);
    for (const namespace of ['', 'n1']) {
      const expected = all.filter(({ key }) => namespace === '' || key.namespace === namespace);
      const limit = 1 + random(12);
      const after = expected[random(expected.length + 1)]?.key;
      const following =
        after === undefined ? expected : expected.slice(expected.findIndex(({ key }) => key === after) + 1);
      const range = { resource, namespace, revision, limit, countRest: true };
      const place = { afterNamespace: after?.namespace ?? '', afterName: after?.name ?? '' };
      const pages: ListPage[] = [];
      await storage.lister.list({ ...range, ...place }, async (page) => void pages.push(page));
      const found = pages.flatMap(({ objects }) => objects).length;
      assert.equal(found, Math.min(limit, following.length));
      assert.equal(pages.at(-1)?.remaining, following.length - found, `at ${revision} in "${namespace}"`);
    }
  }
});

test('A list at every revision of the window equals a naive model, under random writes.', async () => {
  const random = randomNumbers(7);
  const names = ['a', 'b', 'b-c', 'b.c', 'z', 'ä', '\u{ffee}', '\u{1f600}'];
  const model = new Map<string, string>();
  const states = new Map<number, string[]>([[1, []]]);
  for (let i = 0; i < 150; i++) {
    const key = keyOf(names[random(names.length)] as string, ['n1', 'n2', ''][random(3)] as string);
    const kind = (['create', 'update', 'delete'] as const)[random(3)] as 'create' | 'update' | 'delete';
    const value = Buffer.from(`{"i":${i}}`);
    const [outcome] = await storage.commits.submit([write(kind, key, { value, deleting: random(2) === 1 })]);
    if (outcome?.kind !== outcomeKind.committed) continue;
    const [found] = await storage.reads.read([key]);
    const place = `${key.namespace}/${key.name}`;
    if (found?.object) model.set(place, text([found.object])[0] as string);
    else model.delete(place);
    const places = [...model.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    // '' orders before every namespace, and '/' before every letter
    states.set(
      outcome.revision,
      places.map((p) => model.get(p) as string),
    );
  }
  assert.ok(states.size > 50);
  for (const [revision, expected] of states) assert.deepEqual(text(await listAt(storage, revision)), expected);
});

test('The pages of a list are one snapshot, also with writes between them.', async () => {
  const resource = 'paged';
  const value = Buffer.alloc(2000, 'x');
  const creates = Array.from({ length: 1200 }, (_, i) =>
    write('create', keyOf(String(i).padStart(5, '0'), 'n', resource), { value }),
  );
  await storage.commits.submit(creates);
  const pages: ListPage[] = [];
  await storage.lister.list({ resource }, async (page) => {
    pages.push(page);
    await storage.commits.submit([
      write('create', keyOf(`zz-${pages.length}`, 'n', resource)),
      write('delete', keyOf(String(1199 - pages.length).padStart(5, '0'), 'n', resource)),
    ]);
  });
  assert.ok(pages.length >= 3);
  assert.equal(new Set(pages.map((page) => page.revision)).size, 1);
  assert.deepEqual(
    pages.flatMap((page) => page.objects.map((object) => object.key.name)),
    creates.map((create) => create.key.name),
  );
});

test('A page has at most about a megabyte, for every size of objects.', async () => {
  const resource = 'large';
  const value = textValue('y'.repeat(300_000));
  for (let i = 0; i < 12; i++)
    await storage.commits.submit([write('create', keyOf(`o${i}`, 'n', resource), { value })]);
  const sizes: number[] = [];
  await storage.lister.list({ resource }, async (page) => {
    sizes.push(page.objects.reduce((sum, object) => sum + object.value.length, 0));
  });
  assert.equal(
    sizes.reduce((a, b) => a + b),
    12 * value.length,
  );
  assert.ok(Math.max(...sizes) < 1.4e6);
});

for (const back of [0, 1]) {
  test(`A list continues after a key and stops at its limit, ${back === 0 ? 'now' : 'at an older revision'}.`, async () => {
    const resource = `limited-${back}`;
    const keys = ['n1/a', 'n1/b', 'n2/a', 'n2/b', 'n3/a'].map((place) => {
      const [namespace, name] = place.split('/') as [string, string];
      return keyOf(name, namespace, resource);
    });
    const outcomes = await storage.commits.submit(keys.map((key) => write('create', key)));
    const revision = back === 0 ? 0 : outcomes.at(-1)!.revision;
    if (back === 1) await storage.commits.submit([write('delete', keys[2]!), write('update', keys[1]!)]);
    const pages: ListPage[] = [];
    await storage.lister.list(
      { resource, revision, afterNamespace: 'n1', afterName: 'a', limit: 3 },
      async (page) => void pages.push(page),
    );
    assert.deepEqual(
      pages.flatMap((page) => page.objects.map((object) => `${object.key.namespace}/${object.key.name}`)),
      ['n1/b', 'n2/a', 'n2/b'],
    );
    const inNamespace: string[] = [];
    await storage.lister.list({ resource, revision, namespace: 'n2' }, async (page) => {
      inNamespace.push(...page.objects.map((object) => object.key.name));
    });
    assert.deepEqual(inNamespace, ['a', 'b']);
  });
}

test('A list of all resources is ordered by resource, namespace and name.', async () => {
  const keys: string[][] = [];
  await storage.lister.list({}, async (page) => {
    keys.push(...page.objects.map(({ key }) => [key.resource, key.namespace, key.name]));
  });
  assert.ok(new Set(keys.map(([resource]) => resource)).size > 3);
  const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a.join('\0')), Buffer.from(b.join('\0'))));
  assert.deepEqual(keys, sorted);
});

test('An empty list is one page with the revision.', async () => {
  const pages: ListPage[] = [];
  await storage.lister.list({ resource: 'none' }, async (page) => void pages.push(page));
  const head = await storage.heads.read();
  assert.deepEqual(pages, [{ revision: head.revision, epoch: 1, objects: [], remaining: 0 }]);
});

test('A list at a future revision is rejected as too large.', async () => {
  await assert.rejects(listAt(storage, 1e9), { code: 504, message: /Too large resource version: 1000000000/ });
});

test('A list below the floor is Expired.', async () => {
  const fresh = await freshDatabase(postgres);
  const own = await openStorage(fresh);
  try {
    await own.commits.submit([write('create', keyOf('a'))]);
    for (let i = 0; i < 9; i++) await own.database.streams.query("SELECT tidegate.rotate_log('0')");
    await assert.rejects(listAt(own, 1), { reason: 'Expired', message: 'too old resource version: 1 (2)' });
    assert.deepEqual(text(await listAt(own, 2)), ['team/a@2 {"name":"a"} false']);
  } finally {
    await own.close();
  }
});

test('An object with changed bytes is marked as corrupt and has no value; other objects are still read.', async () => {
  await storage.commits.submit([
    write('create', keyOf('rotten', 'n', 'things')),
    write('create', keyOf('fresh', 'n', 'things')),
  ]);
  const pool = openPool(url);
  await pool.query("UPDATE tidegate.objects SET value = 'x' WHERE name = 'rotten'");
  await pool.close();
  const listed = (await listAt(storage, 0, 'things')).map(({ key, corrupt, value }) => [
    key.name,
    corrupt,
    value.length > 0,
  ]);
  assert.deepEqual(listed, [
    ['fresh', '', true],
    ['rotten', 'its checksum is wrong', false],
  ]);
  const read = await storage.reads.read([keyOf('rotten', 'n', 'things'), keyOf('fresh', 'n', 'things')]);
  assert.deepEqual(
    read.map(({ found, object }) => [found, object?.corrupt]),
    [
      [true, 'its checksum is wrong'],
      [true, ''],
    ],
  );
});
