import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { MetricRegistry } from './metric-registry.ts';
import { Retries } from './retries.ts';

function bench() {
  const lines: Array<{ level: number; msg: string; loop: string; attempts?: number }> = [];
  const pauses: number[] = [];
  const metrics = new MetricRegistry();
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const retries = new Retries(log, metrics, async (ms) => void pauses.push(ms));
  return { lines, pauses, metrics, retries };
}

test('Pauses double up to their limit, and start again after a success.', async () => {
  const { pauses, retries } = bench();
  const retry = retries.loop('read the log', { firstMs: 50, longestMs: 300 });
  for (let i = 0; i < 5; i++) await retry.failed(new Error('away'));
  retry.succeeded();
  await retry.failed(new Error('away'));
  assert.deepEqual(pauses, [50, 100, 200, 300, 300, 50]);
});

test('A thousand failures log two lines: one when they begin, one when they are over.', async () => {
  const { lines, retries } = bench();
  const retry = retries.loop('read the log', { firstMs: 50, longestMs: 300 });
  for (let i = 0; i < 1000; i++) await retry.failed(new Error('away'));
  retry.succeeded();
  retry.succeeded();
  assert.deepEqual(
    lines.map(({ loop, attempts }) => [loop, attempts]),
    [
      ['read the log', undefined],
      ['read the log', 1000],
    ],
  );
});

test('The metrics count attempts and show whether the last one failed.', async () => {
  const { metrics, retries } = bench();
  const retry = retries.loop('read the log', { firstMs: 50, longestMs: 300 });
  const metricLines = async () => (await metrics.exposition(undefined)).text.match(/^tidegate_retr.*$/gm);
  assert.deepEqual(await metricLines(), ['tidegate_retrying{loop="read the log"} 0']);
  await retry.failed(new Error('away'));
  await retry.failed(new Error('away'));
  assert.deepEqual(await metricLines(), [
    'tidegate_retries_total{loop="read the log"} 2',
    'tidegate_retrying{loop="read the log"} 1',
  ]);
  retry.succeeded();
  assert.match((await metricLines())?.at(-1) ?? '', / 0$/);
});

test('failedNow returns the pause for a loop with its own timer.', () => {
  const { retries } = bench();
  const retry = retries.loop('read the log', { firstMs: 100, longestMs: 1000 });
  const pauses = Array.from({ length: 5 }, () => retry.failedNow(new Error('away')));
  assert.deepEqual(pauses, [100, 200, 400, 800, 1000]);
});
