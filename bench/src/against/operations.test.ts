import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guarded, selected } from './operations.ts';

const names = (only: string, isShort = false) => selected(only, isShort).map(({ name }) => name);

test('An operation is selected with those that make its objects, in the order of all operations.', () => {
  assert.deepEqual(names('^bind|^get$'), ['get', 'create pod', 'bind pod']);
  assert.deepEqual(names(''), [...guarded.map(({ name }) => name)]);
});

test('The short form has fewer operations, and all that they need.', () => {
  const short = names('', true);
  assert.ok(short.length < guarded.length && short.includes('create pod'));
});

test('Operations on the same objects run the same number of times.', () => {
  for (const { after, count, turns } of guarded) {
    const maker = guarded.find(({ name }) => name === after);
    if (maker !== undefined) assert.deepEqual([count, turns], [maker.count, maker.turns]);
  }
});
