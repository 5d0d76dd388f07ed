import assert from 'node:assert/strict';
import { closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Running, temporaryDirectory } from '@tidegate/local';
import { type Death, Supervised } from './supervised.ts';

const never = new AbortController().signal;

/** A fake process whose end the test controls, and a fake clock. */
function rig() {
  let now = 0;
  let started = Promise.withResolvers<void>();
  const deaths: Death[] = [];
  const waits: number[] = [];
  const runs: Array<{ end(why: string): void; stopRequested: boolean; killed: boolean }> = [];
  const spec = {
    name: 'part',
    logFile: join(temporaryDirectory(), 'log'),
    stopLimitMs: 1000,
    start(log: { fd: number }): Running {
      closeSync(log.fd);
      const { promise, resolve } = Promise.withResolvers<string>();
      const run = { end: resolve, stopRequested: false, killed: false };
      runs.push(run);
      started.resolve();
      return {
        pid: 100 + runs.length,
        known: Promise.resolve(),
        ended: promise,
        requestStop() {
          run.stopRequested = true;
        },
        kill() {
          run.killed = true;
          resolve('ended by SIGKILL');
        },
      };
    },
  };
  const supervised = new Supervised(spec, {
    onDeath: (death) => deaths.push(death),
    now: () => now,
    wait: async (ms) => void waits.push(ms),
  });
  const afterStart = async (): Promise<void> => {
    await started.promise;
    started = Promise.withResolvers();
  };
  const advance = (ms: number): void => {
    now += ms;
  };
  return { supervised, deaths, waits, runs, afterStart, advance };
}

test('A process that dies is restarted at once, and the reason is reported.', async () => {
  const { supervised, deaths, runs, afterStart } = rig();
  supervised.start();
  await afterStart();
  runs[0]?.end('ended with exit code 1');
  await afterStart();
  assert.equal(deaths[0]?.reason, 'ended with exit code 1');
  assert.equal(deaths[0]?.delayMs, 0);
  assert.equal(supervised.state().restarts, 1);
  assert.equal(supervised.state().pid, 102);
});

test('The delay doubles from 0.2 s and stays at 5 s.', async () => {
  const { supervised, waits, runs, afterStart } = rig();
  supervised.start();
  for (let i = 0; i < 8; i++) {
    await afterStart();
    runs[i]?.end('ended');
  }
  await afterStart();
  assert.deepEqual(waits, [200, 400, 800, 1600, 3200, 5000, 5000]);
});

test('A process that had run long enough is restarted at once.', async () => {
  const { supervised, deaths, runs, afterStart, advance } = rig();
  supervised.start();
  for (let i = 0; i < 3; i++) {
    await afterStart();
    if (i === 2) advance(10_000);
    runs[i]?.end('ended');
  }
  await afterStart();
  assert.deepEqual(
    deaths.map(({ delayMs }) => delayMs),
    [0, 200, 0],
  );
});

test('A stopped process is not restarted, and its end does not count as a death.', async () => {
  const { supervised, deaths, runs, afterStart } = rig();
  supervised.start();
  await afterStart();
  const stopping = supervised.stop(never);
  runs[0]?.end('ended with exit code 0');
  await stopping;
  assert.ok(runs[0]?.stopRequested);
  assert.equal(runs.length, 1);
  assert.deepEqual(deaths, []);
});

test('A process that does not stop within its limit is killed.', async () => {
  const { supervised, runs, waits, afterStart } = rig();
  supervised.start();
  await afterStart();
  assert.equal(await supervised.stop(never), 'killed');
  assert.deepEqual(waits, [1000]);
  assert.ok(runs[0]?.killed);
});

test('A start that throws counts as a death.', async () => {
  const { promise, resolve } = Promise.withResolvers<Death>();
  const logFile = join(tmpdir(), 'tidegate-absent', 'log');
  const start = (): Running => {
    throw new Error('unreachable');
  };
  const supervised = new Supervised({ name: 'part', logFile, stopLimitMs: 1, start }, { onDeath: resolve });
  supervised.start();
  assert.match((await promise).reason, /could not be started: ENOENT/);
  await supervised.stop(never);
});
