import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FanOut } from './fan-out.ts';
import type { Subscriber } from './subscriber.ts';

function subscribers(count: number, pump: (i: number) => void): Subscriber[] {
  return Array.from({ length: count }, (_, i) => ({ woken: false, pump: () => pump(i) }) as unknown as Subscriber);
}

/** As writing to a socket does, this takes time. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('few subscribers are written to in one turn, in the order of their wakeups', () => {
  const pumped: number[] = [];
  new FanOut().wake(subscribers(5, (i) => pumped.push(i)));
  assert.deepEqual(pumped, [0, 1, 2, 3, 4]);
});

test('many subscribers are spread over turns, and all are pumped', async () => {
  const pumped: number[] = [];
  new FanOut().wake(
    subscribers(200, (i) => {
      busy(0.05);
      pumped.push(i);
    }),
  );
  assert.ok(pumped.length > 0 && pumped.length < 200, `${pumped.length} in the first turn`);
  let turns = 0;
  for (; pumped.length < 200; turns++) await turn();
  assert.ok(turns > 3);
  assert.deepEqual(
    pumped,
    [...pumped].sort((a, b) => a - b),
  );
});

test('several wakeups before a pump cause one pump, and a later wakeup causes another', async () => {
  const counts = new Array<number>(100).fill(0);
  const all = subscribers(100, (i) => {
    busy(0.05);
    counts[i] = (counts[i] as number) + 1;
  });
  const fanOut = new FanOut();
  fanOut.wake(all);
  const early = counts.map((count) => count === 1);
  fanOut.wake(all);
  for (let sum = 0; sum < 100 + early.filter(Boolean).length; sum = counts.reduce((a, b) => a + b)) await turn();
  assert.deepEqual(
    counts,
    early.map((done) => (done ? 2 : 1)),
  );
});
