import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntilExpiry } from './watch-options.ts';

test('a watch ends when the token of its user expires, or earlier', () => {
  assert.equal(timeUntilExpiry({}, 60_000), 60_000);
  assert.equal(timeUntilExpiry({ until: 1_005_000 }, 60_000, 1_000_000), 5000);
  assert.equal(timeUntilExpiry({ until: 9_000_000 }, 60_000, 1_000_000), 60_000);
  assert.equal(timeUntilExpiry({ until: 999_999 }, 60_000, 1_000_000), 0);
});
