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
  const fault = new Faults(log as never, metrics).place('tell the log');
  const counted = async () =>
    (await metrics.exposition(undefined)).text.match(/^tidegate_unexpected_errors_total.*$/gm);
  return { lines, fault, counted };
}

test('Every failure is counted by its place, from zero on.', async () => {
  const { fault, counted } = bench();
  assert.deepEqual(await counted(), ['tidegate_unexpected_errors_total{place="tell the log"} 0']);
  for (let i = 0; i < 3; i++) fault.failed(new Error('no room'));
  assert.deepEqual(await counted(), ['tidegate_unexpected_errors_total{place="tell the log"} 3']);
});

test('The log has a line when failures begin, when they say something else, and when they are over.', () => {
  const { fault, lines } = bench();
  fault.succeeded();
  for (const words of ['no room', 'no room', 'no right', 'no right']) fault.failed(new Error(words));
  fault.succeeded();
  fault.succeeded();
  fault.failed(new Error('no room'));
  assert.deepEqual(lines, ['fails: no room', 'fails: no right', 'works again after 4', 'fails: no room']);
});

test('Work that is met never rejects.', async () => {
  const { fault, lines } = bench();
  await fault.meet(Promise.reject(new Error('no room')));
  await fault.meet(Promise.resolve());
  assert.deepEqual(lines, ['fails: no room', 'works again after 1']);
});
