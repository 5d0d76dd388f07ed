import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreProbe } from './store-probe.ts';

interface Round {
  head: () => Promise<number>;
  /** a store has answered meanwhile */
  answers?: boolean;
}

/** Runs the rounds, one after another; waits are over when they begin, but for those of a head that never comes. */
async function after(rounds: readonly Round[]): Promise<{ probe: StoreProbe; seen: number[] }> {
  const seen: number[] = [];
  let now = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let next = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const probe: StoreProbe = new StoreProbe({
    head: () => {
      const round = rounds[next++];
      if (round?.answers) answeredAt = ++now;
      return round?.head() ?? Promise.reject(new Error('over'));
    },
    answeredAt: () => answeredAt,
    retry: { failedNow: () => 100, succeeded: () => {} },
    seen: async (revision) => {
      seen.push(revision);
    },
    now: () => ++now,
    wait: async (ms) => {
      // the timeout of a call: it ends after all calls with an answer
      if (ms === 1000) return new Promise((resolve) => setImmediate(resolve));
      if (next < rounds.length) return;
      probe.stop();
      finish();
    },
  });
  void probe.run();
  await finished;
  return { probe, seen };
}

const silence = () => new Promise<number>(() => {});
const refusal = () => Promise.reject(new Error('the database cannot be reached'));

test('A store that returns the revision is healthy, and so is PostgreSQL.', async () => {
  const { probe, seen } = await after([{ head: async () => 7, answers: true }]);
  assert.deepEqual([probe.storeTrouble(), probe.postgresTrouble(), probe.answers], [undefined, undefined, true]);
  assert.deepEqual(seen, [7]);
});

test('A store that answers with an error is reachable, and PostgreSQL is not.', async () => {
  const { probe } = await after([{ head: refusal, answers: true }]);
  assert.equal(probe.storeTrouble(), undefined);
  assert.equal(probe.postgresTrouble(), 'the database cannot be reached');
});

test('A store that answered recently and is late now waits for PostgreSQL.', async () => {
  const { probe } = await after([{ head: async () => 7, answers: true }, { head: silence }]);
  assert.equal(probe.storeTrouble(), undefined);
  assert.equal(probe.postgresTrouble(), 'no answer within 1000 ms');
});

test('The state of PostgreSQL is unknown while no store answers.', async () => {
  for (const head of [refusal, silence]) {
    const { probe } = await after([{ head: async () => 7 }, { head }]);
    assert.equal(probe.storeTrouble(), 'no store answers');
    assert.match(probe.postgresTrouble() ?? '', /nothing is known/);
  }
});

test('The client is stuck when calls never end, and not when they fail.', async () => {
  const failed = await after(Array.from({ length: 100 }, () => ({ head: refusal })));
  assert.equal(failed.probe.wedged(), undefined);
  const hanging = await after(Array.from({ length: 29 }, () => ({ head: silence })));
  assert.equal(hanging.probe.wedged(), undefined);
  const stuck = await after(Array.from({ length: 30 }, () => ({ head: silence })));
  assert.equal(stuck.probe.wedged(), '30 calls to the stores do not come to an end');
});
