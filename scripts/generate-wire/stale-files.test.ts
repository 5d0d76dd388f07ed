import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleFiles } from './stale-files.ts';

test('Files that are the same are not stale.', () => {
  assert.deepEqual(staleFiles(new Map([['Key.ts', 'a']]), new Map([['Key.ts', 'a']])), []);
});

test('A file that is missing, changed, or of no message any more is stale.', () => {
  const committed = new Map([
    ['Changed.ts', 'a'],
    ['Old.ts', 'a'],
  ]);
  const generated = new Map([
    ['Changed.ts', 'b'],
    ['New.ts', 'b'],
  ]);
  assert.deepEqual(staleFiles(committed, generated), [
    'Changed.ts differs from what proto/ says',
    'New.ts is missing',
    'Old.ts belongs to no message of proto/',
  ]);
});
