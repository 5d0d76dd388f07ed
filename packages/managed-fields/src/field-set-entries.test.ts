import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY, type FieldSet, fieldSet } from './field-set.ts';
import { FieldSetEntries } from './field-set-entries.ts';
import { toFieldsV1 } from './fields-v1.ts';
import { keptFields } from './kept-fields.ts';

type Entry = readonly [element: string, member?: boolean, below?: FieldSet];

function setOf(...entries: readonly Entry[]): FieldSet {
  const builder = new FieldSetEntries();
  for (const [element, member = true, below = EMPTY] of entries) builder.add(element, member, below);
  return builder.finish();
}

const pathsOf = (set: FieldSet) => [...set.paths()].map((path) => path.join(' '));

test('Entries in any order give the same fields, in the order of a set.', () => {
  const names = ['f:b', 'f:a', 'k:{"name":"x"}', 'v:1', 'f:c'];
  const inOrder = ['f:a', 'f:b', 'f:c', 'k:{"name":"x"}', 'v:1'];
  for (const order of [names, [...names].reverse(), inOrder]) {
    assert.deepEqual(setOf(...order.map((name): Entry => [name])).elements, inOrder);
  }
});

test('A set that was built by the same steps is the same set, and so is every result from it.', () => {
  const build = () => setOf(['f:spec', false, setOf(['f:x'], ['f:y'])], ['f:kind']);
  const reset = fieldSet(['f:kind']);
  assert.equal(build(), build());
  assert.equal(build().without(reset), build().without(reset));
  assert.equal(toFieldsV1(build().without(reset)), toFieldsV1(build().without(reset)));
});

test('Sets that differ in one field, in one member or in one order of steps have their own fields.', () => {
  const below = setOf(['f:x']);
  const sets = [
    setOf(['f:a']),
    setOf(['f:a', true, below]),
    setOf(['f:a', false, below]),
    setOf(['f:a', false, setOf(['f:y'])]),
    setOf(['f:a'], ['f:b']),
  ];
  assert.deepEqual(sets.map(pathsOf), [['f:a'], ['f:a', 'f:a f:x'], ['f:a f:x'], ['f:a f:y'], ['f:a', 'f:b']]);
  assert.ok(setOf(['f:b'], ['f:a']).equals(setOf(['f:a'], ['f:b'])));
});

test('An entry that is no member and has nothing below it adds nothing.', () => {
  assert.equal(setOf(['f:a', false]), EMPTY);
});

test('Long elements and large levels are not kept for later.', () => {
  const long = () => setOf([`f:${'x'.repeat(300)}`]);
  assert.notEqual(long(), long());
  const many = () => setOf(...Array.from({ length: 100 }, (_, i): Entry => [`f:${i}`]));
  assert.notEqual(many(), many());
  assert.ok(many().equals(many()));
  const before = keptFields.generation;
  for (let i = 0; i < 200; i++) setOf(...Array.from({ length: 3000 }, (_, j): Entry => [`v:"${'y'.repeat(300)}${j}"`]));
  assert.equal(keptFields.generation, before);
});

test('What is kept is bounded, and sets that were built before stay as they are.', () => {
  const old = setOf(['f:a', true, setOf(['f:b'])]);
  const before = keptFields.generation;
  for (let i = 0; keptFields.generation === before; i++) {
    assert.ok(i < 200_000, 'a new generation begins');
    setOf([`f:${i}`, true, setOf(['f:b'])]);
  }
  const fresh = setOf(['f:a', true, setOf(['f:b'])]);
  assert.notEqual(fresh, old);
  assert.ok(fresh.equals(old));
  assert.deepEqual(pathsOf(old.union(fresh)), ['f:a', 'f:a f:b']);
});

test('An operation with another set than the last time gives the result for that set.', () => {
  const [a, b, c] = [setOf(['f:a'], ['f:b']), setOf(['f:b']), setOf(['f:c'])] as const;
  for (let i = 0; i < 2; i++) {
    assert.deepEqual([a.union(b), a.union(c)].map(pathsOf), [
      ['f:a', 'f:b'],
      ['f:a', 'f:b', 'f:c'],
    ]);
    assert.deepEqual([a.difference(b), a.difference(c)].map(pathsOf), [['f:a'], ['f:a', 'f:b']]);
    assert.deepEqual([a.intersection(b), a.intersection(c)].map(pathsOf), [['f:b'], []]);
    assert.deepEqual([a.without(b), a.without(c)].map(pathsOf), [['f:a'], ['f:a', 'f:b']]);
  }
});
