import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inStep } from '../request/resource-request.ts';
import { isLargeBody, isLargeJson, LargeRequestSteps, LargeSteps } from './large-steps.ts';

/** Steps on a fake clock, which advances during steps and waits. */
function stepsOnClock() {
  let now = 0;
  const waiting: Array<{ at: number; then: () => void }> = [];
  const done: string[] = [];
  const steps = new LargeSteps({ now: () => now, wait: (ms, then) => void waiting.push({ at: now + ms, then }) });
  const work = (name: string, ms: number, of = new LargeRequestSteps(steps)) =>
    of.do(() => {
      done.push(`${name} at ${now}`);
      now += ms;
      return name;
    });
  const run = async () => {
    await setImmediate();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      now = Math.max(now, next.at);
      next.then();
      await setImmediate();
    }
  };
  return { steps, done, work, run };
}

test('after a long step other requests get the event loop for the same time', async () => {
  const { steps, done, work, run } = stepsOnClock();
  steps.besides();
  const both = [work('first', 80), work('second', 30), work('third', 30)];
  await run();
  assert.deepEqual(await Promise.all(both), ['first', 'second', 'third']);
  assert.deepEqual(done, ['first at 0', 'second at 160', 'third at 220']);
});

test('the pause is short when no other request is served', async () => {
  const { steps, done, work, run } = stepsOnClock();
  const served = steps.besides();
  served();
  const both = [work('first', 80), work('second', 30)];
  await run();
  await Promise.all(both);
  assert.deepEqual(done, ['first at 0', 'second at 82']);
});

test('short steps run in sequence until their total time is long', async () => {
  const { steps, done, work, run } = stepsOnClock();
  steps.besides();
  const all = ['a', 'b', 'c', 'd'].map((name) => work(name, 8));
  await run();
  await Promise.all(all);
  assert.deepEqual(done, ['a at 0', 'b at 8', 'c at 16', 'd at 48']);
});

test('a started request continues before a new one begins', async () => {
  const { steps, done, work, run } = stepsOnClock();
  const first = new LargeRequestSteps(steps);
  const all = [work('first', 50, first), work('second', 50), work('first again', 50, first)];
  await run();
  await Promise.all(all);
  assert.deepEqual(done, ['first at 0', 'first again at 52', 'second at 104']);
});

test('an object is large by the number of its values, or by its length', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  assert.equal(isLargeJson(json({ text: 'x'.repeat(200_000) })), false);
  assert.equal(isLargeJson(json({ text: 'x'.repeat(300_000) })), true);
  assert.equal(isLargeJson(json(Array.from({ length: 2500 }, () => 'some words'))), true);
  assert.equal(isLargeJson(json(Array.from({ length: 2500 }, () => 1))), false, 'it is not many bytes');
  assert.equal(isLargeJson(Buffer.from(`${'['.repeat(9000)}${']'.repeat(9000)}`)), true);
  assert.equal(isLargeBody(Buffer.alloc(20_000), 'application/vnd.kubernetes.protobuf'), true);
  assert.equal(isLargeBody(Buffer.alloc(20_000), 'application/merge-patch+json'), false);
});

test('garbage is collected after each half second of steps', async () => {
  let [now, collected] = [0, 0];
  const steps = new LargeSteps({
    now: () => now,
    wait: (_, then) => void setImmediate().then(then),
    collectGarbage: () => collected++,
  });
  const counts: number[] = [];
  for (let i = 0; i < 12; i++) {
    await new LargeRequestSteps(steps).do(() => {
      now += 100;
    });
    counts.push(collected);
  }
  assert.deepEqual(counts, [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]);
});

test('a failed step throws its error, and the next one runs', async () => {
  const steps = new LargeRequestSteps(new LargeSteps());
  await assert.rejects(
    steps.do(() => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  assert.equal(await steps.do(() => 'yes'), 'yes');
});

test('small objects are processed at once', () => {
  assert.equal(
    inStep({ steps: undefined }, () => 1),
    1,
  );
});
