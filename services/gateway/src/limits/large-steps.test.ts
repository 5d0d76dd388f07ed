import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inStep, isLargeBody, isLargeJson, LargeSteps, RequestSteps } from './large-steps.ts';

/** Steps over a clock that stands still but while a step is done. */
function stepsOnClock() {
  let now = 0;
  const rests: { ms: number; end: () => void }[] = [];
  const done: string[] = [];
  const steps = new LargeSteps({ now: () => now, wait: (ms, end) => void rests.push({ ms, end }) });
  const request = () => new RequestSteps(steps);
  const work = (name: string, ms: number, of = request()) =>
    of.do(() => {
      now += ms;
      done.push(name);
      return name;
    });
  return { rests, done, work, request };
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

test('what has been begun goes on before anything else is begun', async () => {
  const { rests, done, work, request } = stepsOnClock();
  const first = request();
  await work('first', 50, first);
  const rest = [work('second', 50), work('first again', 50, first)];
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    rests[i]?.end();
  }
  await Promise.all(rest);
  assert.deepEqual(done, ['first', 'first again', 'second']);
});

test('an object is large by how many values it has, and not by how long they are', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  assert.equal(isLargeJson(json({ text: 'x'.repeat(1 << 20) })), false);
  assert.equal(isLargeJson(json(Array.from({ length: 2500 }, () => 'some words'))), true);
  assert.equal(isLargeJson(json(Array.from({ length: 2500 }, () => 1))), false, 'it is not many bytes');
  assert.equal(isLargeJson(Buffer.from(`${'['.repeat(9000)}${']'.repeat(9000)}`)), true);
  assert.equal(isLargeBody(Buffer.alloc(20_000), 'application/vnd.kubernetes.protobuf'), true);
  assert.equal(isLargeBody(Buffer.alloc(20_000), 'application/merge-patch+json'), false);
});

test('a step that fails tells its error, and the next one is done', async () => {
  const steps = new RequestSteps(new LargeSteps());
  await assert.rejects(
    steps.do(() => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  assert.equal(await steps.do(() => 'yes'), 'yes');
});

test('what is not large is done at once', () => {
  assert.equal(
    inStep({ steps: undefined }, () => 1),
    1,
  );
});
