import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Capacity } from './capacity.ts';

function capacityOf(seats: number) {
  const state = { seats, isWanted: true, isShared: false, isBusy: true };
  const capacity = new Capacity({
    seats,
    scale: (now) => {
      state.seats = now;
    },
    isWanted: () => state.isWanted,
    isShared: () => state.isShared,
    isBusy: () => state.isBusy,
    delay: { enable: () => true, disable: () => true, reset: () => {}, count: 25, mean: 2e6 },
  });
  return { capacity, state };
}

test('a delayed event loop removes seats, down to the number that keeps the stores busy', () => {
  const { capacity, state } = capacityOf(600);
  capacity.look(30);
  assert.equal(state.seats, 450);
  for (let i = 0; i < 50; i++) capacity.look(30);
  assert.equal(state.seats, 16);
});

test('with several flows the limit on the delay is stricter, with fewer seats', () => {
  const { capacity, state } = capacityOf(600);
  state.isShared = true;
  for (let i = 0; i < 50; i++) capacity.look(1);
  assert.equal(state.seats, 2);
  state.isShared = false;
  capacity.look(1);
  assert.equal(state.seats, 16);
});

test('seats are restored slowly while requests wait, and faster when none waits', () => {
  const { capacity, state } = capacityOf(600);
  for (let i = 0; i < 50; i++) capacity.look(30);
  capacity.look(0.5);
  assert.equal(state.seats, 18);
  state.isWanted = false;
  capacity.look(0.5);
  assert.equal(state.seats, 27);
  for (let i = 0; i < 8; i++) capacity.look(0.5);
  assert.equal(state.seats, 600);
});

test('a slightly delayed loop keeps its seats, and never gets more than configured', () => {
  const { capacity, state } = capacityOf(4);
  for (let i = 0; i < 5; i++) capacity.look(30);
  assert.equal(state.seats, 4, 'not fewer than configured where that is little');
  const other = capacityOf(100);
  other.capacity.look(30);
  other.capacity.look(1.5);
  assert.equal(other.state.seats, 75);
});

test('the loop is sampled while there are concurrent requests, and for a second after that', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { capacity, state } = capacityOf(600);
  assert.equal(capacity.isWatching, false);
  capacity.wake();
  t.mock.timers.tick(5000);
  assert.equal(capacity.isWatching, true, 'other requests have seats');
  state.isBusy = false;
  t.mock.timers.tick(900);
  capacity.wake();
  assert.equal(capacity.isWatching, true, 'there were others a moment ago');
  t.mock.timers.tick(200);
  assert.equal(capacity.isWatching, false);
  capacity.wake();
  assert.equal(capacity.isWatching, false, 'the request is alone');
  state.isBusy = true;
  capacity.wake();
  assert.equal(capacity.isWatching, true);
  state.isBusy = false;
  t.mock.timers.tick(50);
  assert.equal(capacity.isWatching, false, 'it was a short burst');
});
