import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { Always, below, defaulter, IfAbsent, NotZero } from './default-rules.ts';

const set = (rules: Parameters<typeof defaulter>[0], object: JsonObject): JsonObject => {
  defaulter(rules)(object);
  return object;
};

test('a default is set when the object around the field exists, in every item of a list', () => {
  assert.deepEqual(set({ 'a.b': 1, 'c[].d': 2 }, { a: {}, c: [{}, { d: 3 }, 'text'] }), {
    a: { b: 1 },
    c: [{ d: 2 }, { d: 3 }, 'text'],
  });
  assert.deepEqual(set({ 'a.b': 1 }, {}), {});
});

test('an empty text counts as absent, a zero only with NotZero', () => {
  assert.deepEqual(set({ a: 'x', b: 1, c: new NotZero(1) }, { a: '', b: 0, c: 0 }), { a: 'x', b: 0, c: 1 });
});

test('an empty text is kept with IfAbsent, and an older name follows its field with Always', () => {
  assert.deepEqual(set({ a: new IfAbsent('x'), b: new IfAbsent('y') }, { a: '' }), { a: '', b: 'y' });
  const older = { old: new Always(({ now }) => now) };
  assert.deepEqual(set(older, { old: 'a', now: 'b' }), { old: 'b', now: 'b' });
  assert.deepEqual(set(older, { old: 'a' }), { old: 'a' });
});

test('a default can depend on other fields, and be undefined', () => {
  const rules = below('spec', { type: 'A', only: ({ type }) => (type === 'A' ? true : undefined) });
  assert.deepEqual(set(rules, { spec: {} }), { spec: { type: 'A', only: true } });
  assert.deepEqual(set(rules, { spec: { type: 'B' } }), { spec: { type: 'B' } });
});

test('objects do not share default values', () => {
  const rules = defaulter({ list: [] });
  const one: JsonObject = {};
  const two: JsonObject = {};
  rules(one);
  rules(two);
  (one.list as string[]).push('x');
  assert.deepEqual(two, { list: [] });
});
