import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuietRounds } from './quiet-rounds.ts';

function bench() {
  const state = { revision: 7, now: 0 };
  const turn = new QuietRounds({ revision: () => state.revision, now: () => state.now }).work(1000);
  return { state, turn };
}

test('While nothing is written no round is due, and not for longer than the longest time.', () => {
  const { state, turn } = bench();
  assert.equal(turn.restMs(1), 0);
  turn.begin(1);
  turn.done(false);
  assert.equal(turn.restMs(1), 1000);
  state.now = 400;
  assert.equal(turn.restMs(1), 600);
  state.now = 1000;
  assert.equal(turn.restMs(1), 0);
});

test('What is written while a round is on is for the next one.', () => {
  const { state, turn } = bench();
  turn.begin(1);
  state.revision = 8;
  turn.done(false);
  assert.equal(turn.restMs(1), 0);
  turn.begin(1);
  turn.done(false);
  assert.equal(turn.restMs(1), 1000);
});

test('A round that has left something, one that failed, and a new lease are followed by another.', () => {
  const { turn } = bench();
  turn.begin(1);
  turn.done(true);
  assert.equal(turn.restMs(1), 0, 'it has left something');
  turn.begin(1);
  assert.equal(turn.restMs(1), 0, 'it has failed');
  turn.done(false);
  assert.equal(turn.restMs(2), 0, 'somebody else may have held the lease meanwhile');
});
