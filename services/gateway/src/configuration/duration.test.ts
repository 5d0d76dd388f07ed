import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs } from './duration.ts';

test('durations are read in their units, and what is none is none', () => {
  const read = ['5m', '1m30s', '0', '0s', '500ms', '1.5h', '', '5', '-1s', '5 m', 'm', '1d'].map(durationMs);
  const none = undefined;
  assert.deepEqual(read, [300_000, 90_000, 0, 0, 500, 5_400_000, none, none, none, none, none, none]);
});
