import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Steady } from './steady.ts';

function after(first: boolean, seen: string, patience = { failures: 2, passes: 3 }): string {
  const steady = new Steady(first, 0, patience);
  const holds = [...seen].map((sign, i) => {
    steady.observe(sign === '+', i + 1);
    return steady.passes ? '+' : '-';
  });
  return holds.join('');
}

test('It changes when the other result was seen often enough in a row, in both directions.', () => {
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
  const steady = new Steady(true, 100, { failures: 2, passes: 2 });
  assert.equal(steady.observe(false, 200), false);
  assert.equal(steady.since, 100);
  assert.equal(steady.observe(false, 300), true);
  assert.equal(steady.since, 300);
});
