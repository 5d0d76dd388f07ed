import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from './cache.ts';

const value = (size: number) => ({ size });

test('The least recently used value is evicted first, and the total size never exceeds the limit.', () => {
  const cache = new Cache<{ size: number }>(10);
  cache.set('a', value(4));
  cache.set('b', value(4));
  assert.ok(cache.get('a'));
  cache.set('c', value(4));
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => cache.get(name)?.size),
    [4, undefined, 4],
  );
  assert.equal(cache.bytes, 8);
});

test('A value that is set again counts once, and one above the limit is not kept.', () => {
  const cache = new Cache<{ size: number }>(10);
  cache.set('a', value(4));
  cache.set('a', value(6));
  assert.equal(cache.bytes, 6);
  cache.set('a', value(11));
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.bytes, 0);
});
