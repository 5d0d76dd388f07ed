import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopWatch } from './loop-watch.ts';
import { MetricRegistry } from './metric-registry.ts';

function watched() {
  const time = { at: 0, cpuMs: 0 };
  const logged: Array<{ heldMs: number; requests: string[] }> = [];
  const metrics = new MetricRegistry();
  const log = { warn: (about: unknown) => void logged.push(about as (typeof logged)[number]) };
  const watch = new LoopWatch(log, metrics, { now: () => time.at, cpuMs: () => time.cpuMs });
  const pass = (ms: number, cpuMs: number) => {
    time.at += ms;
    time.cpuMs += cpuMs;
    watch.sample();
  };
  const holds = async () => /^tidegate_loop_holds_total (\d+)$/m.exec((await metrics.exposition('')).text)?.[1];
  return { watch, logged, pass, holds };
}

test('A long turn is counted, and logged with the largest requests that may have caused it.', async () => {
  const { watch, logged, pass, holds } = watched();
  const endOfSmall = watch.begin({ description: 'get pods by ann', bytes: 0 });
  const endOfLarge = watch.begin({ description: 'create pods by mallory', bytes: 300_000 });
  for (const bytes of [10, 20, 30]) watch.begin({ description: 'create configmaps by bob', bytes });
  pass(100, 90);
  endOfSmall();
  endOfLarge();
  pass(1100, 1000);
  assert.deepEqual(logged, [
    {
      heldMs: 1000,
      requests: [
        'create pods by mallory, 300000 bytes',
        'create configmaps by bob, 30 bytes',
        'create configmaps by bob, 20 bytes',
      ],
    },
  ]);
  assert.equal(await holds(), '1');
  pass(1100, 1000);
  assert.ok(!JSON.stringify(logged[1]).includes('mallory'), 'what ended before is not named again');
});

test('A turn without CPU time is not counted.', async () => {
  const { logged, pass, holds } = watched();
  pass(3000, 40);
  pass(340, 340);
  assert.deepEqual(logged, []);
  assert.equal(await holds(), '0');
});

test('A started watch detects a long turn of this process.', async (t) => {
  const logged: unknown[] = [];
  const watch = new LoopWatch({ warn: (about: unknown) => void logged.push(about) }, new MetricRegistry());
  t.after(() => watch.stop());
  watch.start();
  const { user } = process.threadCpuUsage();
  while (process.threadCpuUsage().user - user < 500_000);
  const begun = performance.now();
  while (logged.length === 0 && performance.now() - begun < 20_000)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(logged.length, 1);
});
