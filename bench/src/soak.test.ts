import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trendOf } from './soak.ts';

const MIB = 2 ** 20;
/** A minute of samples: garbage of up to 50 MiB on what stays. */
const samples = (stays: (second: number) => number) =>
  Array.from({ length: 60 }, (_, second) => {
    const held = stays(second) + (second % 5) * 12.5 * MIB;
    return { second, held, resident: held };
  });

test('Garbage that comes and goes is no growth.', () => {
  const { mean, growth } = trendOf(
    samples(() => 100 * MIB),
    'held',
  );
  assert.ok(Math.abs(growth) < MIB / 100 && Math.abs(mean - 100 * MIB) < MIB / 100);
});

test('A leak below the garbage is growth.', () => {
  const { growth } = trendOf(
    samples((second) => (100 + second) * MIB),
    'held',
  );
  assert.ok(growth > 55 * MIB && growth < 65 * MIB, `${growth / MIB} MiB`);
});
