import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from '@tidegate/options';
import { bench, isForCustom } from './bench.ts';
import { benchOptions } from './options.ts';
import { scenarios } from './scenarios.ts';

test('Every scenario runs without errors and lost events, and has its figures.', async () => {
  const lines: string[] = [];
  const options = readOptions(benchOptions, ['--scale=0.002', '--custom', '--data-dir=/nonexistent/bench'], {});
  const { measurements } = await bench(options, (line) => lines.push(line));
  assert.deepEqual(
    measurements.map((m) => m.scenario),
    scenarios.flatMap(({ name, operation }) => (isForCustom(operation) ? [name, `${name}, custom`] : [name])),
  );
  for (const m of measurements) {
    assert.deepEqual([m.errors, m.missing], [{}, 0], m.scenario);
    assert.ok(m.operations > 0 && m.p50 > 0 && m.p99 >= m.p50 && m.cpu !== undefined && m.memoryMib > 100, m.scenario);
  }
  assert.match(lines.at(-1) ?? '', /\| get, 16 clients +\|/);
});

for (const host of ['192.0.2.1', '127.example.com', 'localhost.example.com']) {
  test(`A peer at ${host} is rejected, because load is sent to this machine only.`, async () => {
    const options = readOptions(benchOptions, [`--peer=https://${host}:6443`], {});
    await assert.rejects(
      bench(options, () => {}),
      /must be an address of this machine/,
    );
  });
}
