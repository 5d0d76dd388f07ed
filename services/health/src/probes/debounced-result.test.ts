import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DebouncedResult } from './debounced-result.ts';

function after(first: boolean, seen: string, thresholds = { failures: 2, passes: 3 }): string {
  const result = new DebouncedResult(first, 0, thresholds);
  const holds = [...seen].map((sign, i) => {
    result.observe(sign === '+', i + 1);
    return result.passes ? '+' : '-';
  });
  return holds.join('');
}

test('It changes after enough consecutive other results, in both directions.', () => {
  for (const [seen, holds] of [
    ['+-+---++-+++', '++++-------+'],
    ['-+-+-+-+', '++++++++'],
    ['--+-+-++-++', '+----------'],
  ] as const)
    assert.equal(after(true, seen), holds, seen);
  assert.equal(after(true, '-+', { failures: 1, passes: 1 }), '-+');
});

test('A check that has never passed passes at once, and needs repeated results afterwards.', () => {
  assert.equal(after(false, '--+-+--++-+++'), '--++++------+');
});

test('`since` is the time of the change, and not of the first different result.', () => {
  const result = new DebouncedResult(true, 100, { failures: 2, passes: 2 });
  assert.equal(result.observe(false, 200), false);
  assert.equal(result.since, 100);
  assert.equal(result.observe(false, 300), true);
  assert.equal(result.since, 300);
});
