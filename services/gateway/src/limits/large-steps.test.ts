import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inStep, LargeSteps } from './large-steps.ts';

/** Steps over a clock that stands still but while a step is done. */
function stepsOnClock() {
  let now = 0;
  const rests: { ms: number; end: () => void }[] = [];
  const done: string[] = [];
  const steps = new LargeSteps({ now: () => now, wait: (ms, end) => void rests.push({ ms, end }) });
  const work = (name: string, ms: number) =>
    steps.do(() => {
      now += ms;
      done.push(name);
      return name;
    });
  return { rests, done, work };
}

test('after a long step everybody else has the loop for as long as it took', async () => {
  const { rests, done, work } = stepsOnClock();
  assert.equal(await work('first', 80), 'first');
  const second = work('second', 30);
  await setImmediate();
  assert.deepEqual([done, rests.map(({ ms }) => ms)], [['first'], [80]]);
  rests[0]?.end();
  await second;
  assert.deepEqual(
    [done, rests.map(({ ms }) => ms)],
    [
      ['first', 'second'],
      [80, 30],
    ],
  );
});

test('short steps follow each other until together they took long', async () => {
  const { rests, done, work } = stepsOnClock();
  const all = ['a', 'b', 'c', 'd'].map((name) => work(name, 8));
  await Promise.all(all.slice(0, 3));
  await setImmediate();
  assert.deepEqual([done, rests.map(({ ms }) => ms)], [['a', 'b', 'c'], [24]]);
  rests[0]?.end();
  await Promise.all(all);
  assert.deepEqual(done, ['a', 'b', 'c', 'd']);
});

test('a step that fails tells its error, and the next one is done', async () => {
  const { work } = stepsOnClock();
  const steps = new LargeSteps();
  await assert.rejects(
    steps.do(() => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  assert.equal(await steps.do(() => 'yes'), 'yes');
  assert.equal(await work('other', 1), 'other');
});

test('what is not large is done at once', () => {
  assert.equal(
    inStep({ steps: undefined }, () => 1),
    1,
  );
});
