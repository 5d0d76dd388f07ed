import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRevision } from '@tidegate/revision';
import { Collection, eventKind, type Item, WindowMemory } from './index.ts';

/** Encodes items as `name@revision;`, and counts them. */
function counting() {
  const form = {
    name: 'counted',
    made: 0,
    encode(item: Item): Buffer {
      form.made++;
      return Buffer.from(`${item.namespace}/${item.name}@${item.revision};`);
    },
  };
  return form;
}

function collectionOf(count: number): { collection: Collection; change: (name: string, kind?: 0 | 1 | 2) => void } {
  const memory = new WindowMemory({ bytes: 1 << 30 });
  const collection = new Collection({ revision: toRevision(0), floor: toRevision(0), segments: [], memory });
  let revision = 0;
  const change = (name: string, kind: 0 | 1 | 2 = eventKind.updated) => {
    const head = `{"name":"${name}"`;
    const value = Buffer.from(`${head}}`);
    const state = { value, splice: head.length, uid: '', selection: new Uint8Array(), deleting: false };
    const namespace = `n${name.length % 2}`;
    collection.apply({ kind, state: { ...state, namespace, name, revision: toRevision(++revision) }, traceparent: '' });
  };
  for (let i = 0; i < count; i++) change(`${'x'.repeat(1 + (i % 2))}${1000 + i}`, eventKind.created);
  return { collection, change };
}

test('a form is made once for each state, also when it is read often and other items change', () => {
  const form = counting();
  const { collection, change } = collectionOf(1000);
  const read = (namespace?: string) => {
    for (const run of collection.snapshot().runs(namespace)) {
      const expected = run.items.slice(run.from, run.to).map((i) => `${i.namespace}/${i.name}@${i.revision};`);
      assert.equal(run.encoded(form).toString(), expected.join(''));
    }
  };
  read();
  assert.equal(form.made, 1000);
  read();
  read('n0');
  read('n1');
  assert.equal(form.made, 1000);
  for (let i = 0; i < 40; i++) {
    change(`x${1000 + i * 20}`);
    if (i % 4 === 0) read();
  }
  change('x1020', eventKind.deleted);
  read();
  assert.equal(form.made, 1040);
});

test('a past state has the bytes of its own items', () => {
  const form = counting();
  const { collection, change } = collectionOf(200);
  const texts = (revision: number) =>
    [...(collection.at(toRevision(revision))?.runs() ?? [])].map((run) => run.encoded(form).toString()).join('');
  const before = texts(200);
  for (let i = 0; i < 50; i++) change(`x${1000 + 2 * i}`);
  assert.notEqual(texts(250), before);
  assert.equal(texts(200), before);
});
