import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlight } from './request-metrics.ts';

test('The maximum of the last second is reported, and dropped after two seconds.', () => {
  const { readOnly } = new InFlight();
  readOnly.enter(1000);
  readOnly.enter(1100);
  readOnly.leave();
  assert.equal(readOnly.at(1900), 2);
  assert.equal(readOnly.at(2500), 2, 'the second before counts as well');
  assert.equal(readOnly.at(3500), 1);
  readOnly.leave();
  assert.equal(readOnly.at(9000), 0);
});

test('Mutating requests are counted separately.', () => {
  const inFlight = new InFlight();
  for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection', 'post']) inFlight.of(verb).enter(500);
  for (const verb of ['get', 'list', 'head']) inFlight.of(verb).enter(500);
  assert.deepEqual([inFlight.mutating.at(500), inFlight.readOnly.at(500)], [6, 3]);
});
