import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trendOf } from './soak.ts';

const MIB = 2 ** 20;
/** Samples of a minute with up to 50 MiB of garbage above the live memory. */
const samples = (live: (second: number) => number) =>
  Array.from({ length: 60 }, (_, second) => {
    const held = live(second) + (second % 5) * 12.5 * MIB;
    return { second, held, resident: held };
  });

test('Garbage that is collected does not count as growth.', () => {
  const { mean, growth } = trendOf(
    samples(() => 100 * MIB),
    'held',
  );
  assert.ok(Math.abs(growth) < MIB / 100 && Math.abs(mean - 100 * MIB) < MIB / 100);
});

test('A leak below the garbage counts as growth.', () => {
  const { growth } = trendOf(
    samples((second) => (100 + second) * MIB),
    'held',
  );
  assert.ok(growth > 55 * MIB && growth < 65 * MIB, `${growth / MIB} MiB`);
});
