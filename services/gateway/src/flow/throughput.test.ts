import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Throughput } from './capacity.ts';

function throughputAt() {
  const clock = { now: 0 };
  return { clock, throughput: new Throughput(() => clock.now) };
}

test('Those that wait take as long as as many took before them, in whole seconds.', () => {
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

test('Who waits behind nobody is told to come again in a second.', () => {
  assert.equal(throughputAt().throughput.secondsFor(0), 1);
});

test('What was served long ago says nothing of now.', () => {
  const { clock, throughput } = throughputAt();
  for (let i = 0; i < 400; i++) throughput.note();
  clock.now += 5000;
  assert.equal(throughput.secondsFor(1), 60);
});
