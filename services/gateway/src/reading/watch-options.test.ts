import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeWhileKnown } from './watch-options.ts';

test('a watch ends with the token of its user, or before', () => {
  assert.equal(timeWhileKnown({}, 60_000), 60_000);
  assert.equal(timeWhileKnown({ until: 1_005_000 }, 60_000, 1_000_000), 5000);
  assert.equal(timeWhileKnown({ until: 9_000_000 }, 60_000, 1_000_000), 60_000);
  assert.equal(timeWhileKnown({ until: 999_999 }, 60_000, 1_000_000), 0);
});
