import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Faults } from './faults.ts';
import { MetricRegistry } from './metric-registry.ts';

function bench() {
  const lines: string[] = [];
  const metrics = new MetricRegistry();
  const log = {
    warn: ({ err }: { err: Error }) => lines.push(`fails: ${err.message}`),
    info: ({ errors }: { errors: number }) => lines.push(`works again after ${errors}`),
  };
  const fault = new Faults(log as never, metrics).place('write the log');
  const counted = async () =>
    (await metrics.exposition(undefined)).text.match(/^tidegate_unexpected_errors_total.*$/gm);
  return { lines, fault, counted };
}

test('Failures are counted by place, starting from zero.', async () => {
  const { fault, counted } = bench();
  assert.deepEqual(await counted(), ['tidegate_unexpected_errors_total{place="write the log"} 0']);
  for (let i = 0; i < 3; i++) fault.failed(new Error('no room'));
  assert.deepEqual(await counted(), ['tidegate_unexpected_errors_total{place="write the log"} 3']);
});

test('A line is logged when failures begin, when their message changes, and when they are over.', () => {
  const { fault, lines } = bench();
  fault.succeeded();
  for (const words of ['no room', 'no room', 'no right', 'no right']) fault.failed(new Error(words));
  fault.succeeded();
  fault.succeeded();
  fault.failed(new Error('no room'));
  assert.deepEqual(lines, ['fails: no room', 'fails: no right', 'works again after 4', 'fails: no room']);
});

test('Tracking failed work never rejects.', async () => {
  const { fault, lines } = bench();
  await fault.track(Promise.reject(new Error('no room')));
  await fault.track(Promise.resolve());
  assert.deepEqual(lines, ['fails: no room', 'works again after 1']);
});
