import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaderElection } from './leader-election.ts';

const seconds = 0.004;
const retry = { failedNow: () => 0, succeeded: () => {} };

test('The fence is valid from the request for the lease until it expires, also where renewals fail.', async () => {
  const closing = new AbortController();
  const clock = { now: 1000 };
  const fences: Array<number | undefined> = [];
  const answers: Array<() => number | undefined> = [
    () => {
      // the answer takes three of four milliseconds
      clock.now += 3;
      return 7;
    },
    () => {
      fences.push(election.fence);
      throw new Error('PostgreSQL is away');
    },
    () => {
      fences.push(election.fence);
      clock.now += 1;
      fences.push(election.fence);
      return undefined;
    },
    () => {
      fences.push(election.fence);
      return 8;
    },
    () => {
      fences.push(election.fence);
      closing.abort();
      return 8;
    },
  ];
  const lease = { seconds, hold: async () => answers.shift()?.(), release: async () => {} };
  const election = new LeaderElection({ lease, retry, now: () => clock.now });
  assert.equal(election.fence, undefined);
  await election.run(closing.signal, Promise.resolve());
  assert.deepEqual(fences, [7, 7, undefined, undefined, 8]);
});

test('The lease is released after all work has ended, and not before.', async () => {
  const closing = new AbortController();
  const steps: string[] = [];
  const lease = {
    seconds,
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
  await new LeaderElection({ lease, retry }).run(closing.signal, work);
  assert.deepEqual(steps, ['ended', 'released']);
});
