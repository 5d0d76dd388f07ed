import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdlePause } from './idle-pause.ts';

function setUp() {
  const state = { revision: 7, now: 0 };
  const idle = new IdlePause({ revision: () => state.revision, longestMs: 1000, now: () => state.now });
  return { state, idle };
}

test('While nothing is written no pass is due, until the longest time is over.', () => {
  const { state, idle } = setUp();
  assert.equal(idle.remainingMs(1), 0);
  idle.begin(1);
  idle.done(false);
  assert.equal(idle.remainingMs(1), 1000);
  state.now = 400;
  assert.equal(idle.remainingMs(1), 600);
  state.now = 1000;
  assert.equal(idle.remainingMs(1), 0);
});

test('A write during a pass makes another pass due.', () => {
  const { state, idle } = setUp();
  idle.begin(1);
  state.revision = 8;
  idle.done(false);
  assert.equal(idle.remainingMs(1), 0);
  idle.begin(1);
  idle.done(false);
  assert.equal(idle.remainingMs(1), 1000);
});

test('A pass that left something to do, a failed pass, and a new fence make another pass due.', () => {
  const { idle } = setUp();
  idle.begin(1);
  idle.done(true);
  assert.equal(idle.remainingMs(1), 0, 'it left something to do');
  idle.begin(1);
  assert.equal(idle.remainingMs(1), 0, 'it failed');
  idle.done(false);
  assert.equal(idle.remainingMs(2), 0, 'another leader may have worked in the meantime');
});
