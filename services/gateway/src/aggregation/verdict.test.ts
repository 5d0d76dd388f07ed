import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasVerdict, PASSED, unavailable, withVerdict } from './verdict.ts';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:01:00Z';

test('a condition keeps its transition time until its status changes, and other conditions stay', () => {
  const other = { type: 'Other', status: 'True' };
  const first = withVerdict([other], unavailable('ServiceNotFound', 'a'), EARLY);
  const second = withVerdict(first, unavailable('ServicePortError', 'b'), LATE);
  assert.deepEqual(second, [
    other,
    { type: 'Available', status: 'False', reason: 'ServicePortError', message: 'b', lastTransitionTime: EARLY },
  ]);
  assert.equal(withVerdict(second, PASSED, LATE)[1]?.lastTransitionTime, LATE);
});

test('an equal condition is recognized, whatever its time', () => {
  const [condition] = withVerdict([], PASSED, EARLY);
  assert.ok(hasVerdict(condition, PASSED));
  assert.ok(!hasVerdict(condition, { ...PASSED, message: 'another' }));
  assert.ok(!hasVerdict(undefined, PASSED));
});
