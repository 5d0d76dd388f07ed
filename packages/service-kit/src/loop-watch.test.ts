import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopWatch } from './loop-watch.ts';
import { MetricRegistry } from './metric-registry.ts';

function watched() {
  const time = { at: 0, cpuMs: 0 };
  const told: Array<{ heldMs: number; requests: string[] }> = [];
  const metrics = new MetricRegistry();
  const log = { warn: (about: unknown) => void told.push(about as (typeof told)[number]) };
  const watch = new LoopWatch(log, metrics, { now: () => time.at, cpuMs: () => time.cpuMs });
  const pass = (ms: number, cpuMs: number) => {
    time.at += ms;
    time.cpuMs += cpuMs;
    watch.look();
  };
  const holds = async () => /^tidegate_loop_holds_total (\d+)$/m.exec((await metrics.exposition('')).text)?.[1];
  return { watch, told, pass, holds };
}

test('A turn that takes long is counted, and told with the largest requests that it may have been.', async () => {
  const { watch, told, pass, holds } = watched();
  const endOfSmall = watch.begin({ words: 'get pods by ann', bytes: 0 });
  const endOfLarge = watch.begin({ words: 'create pods by mallory', bytes: 300_000 });
  for (const bytes of [10, 20, 30]) watch.begin({ words: 'create configmaps by bob', bytes });
  pass(100, 90);
  endOfSmall();
  endOfLarge();
  pass(1100, 1000);
  assert.deepEqual(told, [
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
  assert.ok(!JSON.stringify(told[1]).includes('mallory'), 'what ended before is not named again');
});

test('A process that gets no processor time has not held anybody up.', async () => {
  const { told, pass, holds } = watched();
  pass(3000, 40);
  pass(340, 340);
  assert.deepEqual(told, []);
  assert.equal(await holds(), '0');
});

test('This process is looked at by itself.', async (t) => {
  const told: unknown[] = [];
  const watch = new LoopWatch({ warn: (about: unknown) => void told.push(about) }, new MetricRegistry());
  t.after(() => watch.stop());
  watch.start();
  const { user } = process.threadCpuUsage();
  while (process.threadCpuUsage().user - user < 500_000);
  const begun = performance.now();
  while (told.length === 0 && performance.now() - begun < 5000) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(told.length, 1);
});
