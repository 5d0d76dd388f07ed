import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tenure } from './tenure.ts';

const SECONDS = 0.004;
const retry = { failedNow: () => 0, succeeded: () => {} };

test('a fence is told from when the lease was asked for until its time is over, and to its end where nobody answers', async () => {
  const closing = new AbortController();
  const clock = { now: 1000 };
  const told: Array<number | undefined> = [];
  const answers: Array<() => number | undefined> = [
    () => {
      // the answer takes three of four milliseconds
      clock.now += 3;
      return 7;
    },
    () => {
      told.push(tenure.fence);
      throw new Error('PostgreSQL is away');
    },
    () => {
      told.push(tenure.fence);
      clock.now += 1;
      told.push(tenure.fence);
      return undefined;
    },
    () => {
      told.push(tenure.fence);
      return 8;
    },
    () => {
      told.push(tenure.fence);
      closing.abort();
      return 8;
    },
  ];
  const lease = { hold: async () => answers.shift()?.(), release: async () => {} };
  const tenure = new Tenure(lease, { seconds: SECONDS, retry, now: () => clock.now });
  assert.equal(tenure.fence, undefined);
  await tenure.run(closing.signal, Promise.resolve());
  assert.deepEqual(told, [7, 7, undefined, undefined, 8]);
});

test('the lease is given back after the last work has ended, and not before', async () => {
  const closing = new AbortController();
  const steps: string[] = [];
  const lease = {
    hold: async () => {
      closing.abort();
      return 1;
    },
    release: async () => void steps.push('released'),
  };
  const work = new Promise<void>((resolve) => {
    closing.signal.addEventListener('abort', () =>
      setImmediate(() => {
        steps.push('ended');
        resolve();
      }),
    );
  });
  await new Tenure(lease, { seconds: SECONDS, retry }).run(closing.signal, work);
  assert.deepEqual(steps, ['ended', 'released']);
});
