import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Throughput } from './capacity.ts';

function throughputAt() {
  const clock = { now: 0 };
  return { clock, throughput: new Throughput(() => clock.now) };
}

test('The estimate for waiting requests follows the measured rate, in whole seconds.', () => {
  const { clock, throughput } = throughputAt();
  for (let i = 0; i < 400; i++) {
    clock.now += 10;
    throughput.note();
  }
  // a hundred a second
  assert.deepEqual(
    [50, 100, 450, 100_000].map((count) => throughput.secondsFor(count)),
    [1, 1, 5, 60],
  );
});

test('Without waiting requests the estimate is one second.', () => {
  assert.equal(throughputAt().throughput.secondsFor(0), 1);
});

test('Requests of long ago do not count.', () => {
  const { clock, throughput } = throughputAt();
  for (let i = 0; i < 400; i++) throughput.note();
  clock.now += 5000;
  assert.equal(throughput.secondsFor(1), 60);
});
