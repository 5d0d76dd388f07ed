import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpiringCache } from './expiring-cache.ts';

test('The cache never exceeds its size, and evicts the oldest entries first.', () => {
  const remembered = new ExpiringCache<number>(100);
  for (let i = 0; i < 10_000; i++) remembered.put(`token-${i}`, i, 1000);
  assert.equal(remembered.size, 100);
  assert.equal(remembered.get('token-9899'), undefined);
  assert.equal(remembered.get('token-9900'), 9900);
});

test('Expired entries are not returned.', () => {
  const clock = { now: 0 };
  const remembered = new ExpiringCache<number>(2, () => clock.now);
  remembered.put('a', 1, 1000);
  clock.now = 999;
  assert.equal(remembered.get('a'), 1);
  clock.now = 1000;
  assert.equal(remembered.get('a'), undefined);
  assert.equal(remembered.size, 0);
});
