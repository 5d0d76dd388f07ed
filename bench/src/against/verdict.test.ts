import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '@tidegate/testkit';
import { intervalOf } from './interval.ts';
import { judge } from './verdict.ts';

const OPERATIONS = 14;
const PAIRS = 60;
const RUNS = 60;
const NOISE = 0.06;

/** Pairs of turns as on a busy machine: noise, and one pair in ten that something else disturbed. */
function pairs(random: Random, change: number): number[] {
  return Array.from({ length: PAIRS }, () => {
    const disturbed = random.chance(0.1) ? random.pick([1.6, 1 / 1.6]) : 1;
    return change * disturbed * Math.exp(NOISE * normal(random));
  });
}

function normal(random: Random): number {
  return Array.from({ length: 12 }, () => random.next()).reduce((a, b) => a + b, -6);
}

/** The share of runs of all operations in which one of them is too dear. */
function alarms(random: Random, change: number): number {
  const isAlarm = () =>
    Array.from({ length: OPERATIONS }, () => judge(pairs(random, change), OPERATIONS)).some(
      ({ verdict }) => verdict === 'too dear',
    );
  return Array.from({ length: RUNS }, isAlarm).filter(Boolean).length / RUNS;
}

describe('The verdict on pairs with noise and disturbances', () => {
  test('is no alarm for an unchanged cost.', () => {
    assert.equal(alarms(new Random(1), 1), 0);
  });

  test('is an alarm in at most about one of a hundred runs for a change at the limit.', () => {
    assert.ok(alarms(new Random(2), 1.05) <= 0.04);
  });

  test('is an alarm for ten percent.', () => {
    const found = Array.from({ length: RUNS }, (_, i) => judge(pairs(new Random(i), 1.1), OPERATIONS).verdict);
    assert.ok(found.filter((verdict) => verdict === 'too dear').length > RUNS * 0.85);
    assert.ok(found.every((verdict) => verdict === 'too dear' || verdict === 'dearer'));
  });

  test('is the same if the disturbed pairs are ten times as far off.', () => {
    const calm = Array.from({ length: PAIRS }, (_, i) => 1 + (i % 5) / 100);
    const disturbed = calm.map((ratio, i) => (i < 3 ? 50 : ratio));
    assert.ok(intervalOf(disturbed, 0.001).ratio < 1.04);
    assert.equal(
      judge(disturbed, OPERATIONS).verdict,
      judge(calm.with(0, 2).with(1, 2).with(2, 2), OPERATIONS).verdict,
    );
  });
});

test('The interval of few pairs is unlimited, so they are no alarm.', () => {
  const { ratio, low, high } = intervalOf([2, 2, 2], 0.01);
  assert.deepEqual([ratio.toFixed(3), low, high], ['2.000', 0, Number.POSITIVE_INFINITY]);
  assert.equal(judge([2, 2, 2], OPERATIONS).verdict, 'too few turns');
});

test('The interval is that of the published tables: of ten pairs with 1 % on each side, it begins at the sixth mean.', () => {
  const logs = Array.from({ length: 10 }, (_, i) => 2 ** i);
  const means = logs.flatMap((one, i) => logs.slice(i).map((other) => (one + other) / 2)).sort((a, b) => a - b);
  const { low } = intervalOf(
    logs.map((log) => Math.exp(log)),
    0.01,
  );
  // the table's critical value of the sum is 5: at most 5 with a chance of 0.0098
  assert.ok(Math.abs(Math.log(low) - (means[5] as number)) < 1e-9);
});
