import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleFiles } from './stale-files.ts';

test('Equal files are not stale.', () => {
  assert.deepEqual(staleFiles(new Map([['Key.ts', 'a']]), new Map([['Key.ts', 'a']])), []);
});

test('A file that is missing, changed, or without a message is stale.', () => {
  const committed = new Map([
    ['Changed.ts', 'a'],
    ['Old.ts', 'a'],
  ]);
  const generated = new Map([
    ['Changed.ts', 'b'],
    ['New.ts', 'b'],
  ]);
  assert.deepEqual(staleFiles(committed, generated), [
    'Changed.ts differs from the newly generated file',
    'New.ts is missing',
    'Old.ts does not belong to a message of proto/',
  ]);
});
