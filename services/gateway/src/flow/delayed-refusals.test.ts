import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DelayedRefusals } from './delayed-refusals.ts';

function bench() {
  const state = { now: 1000, waits: [] as number[] };
  const held = new DelayedRefusals({
    now: () => state.now,
    wait: async (ms) => {
      state.waits.push(ms);
      await new Promise(() => {});
    },
  });
  return { state, held };
}

test('rare refusals are sent at once', async () => {
  const { state, held } = bench();
  for (let i = 0; i < 10; i++) {
    state.now += 500;
    await held.hold();
  }
  assert.deepEqual(state.waits, []);
});

test('a burst of refusals is sent one by one after the first fifty', () => {
  const { state, held } = bench();
  for (let i = 0; i < 60; i++) void held.hold();
  assert.deepEqual(state.waits, [5, 10, 15, 20, 25, 30, 35, 40, 45]);
});

test('refusals with a retry time are delayed by it, and spread over time', () => {
  const { state, held } = bench();
  for (let i = 0; i < 100; i++) void held.hold(1000);
  assert.ok(state.waits.every((ms) => ms >= 1000));
  assert.ok((state.waits.at(-1) as number) >= 1200);
});

test('a client that retries after each refusal gets one every 5 ms', async () => {
  const { state, held } = bench();
  const told: number[] = [];
  for (let i = 0; i < 200; i++) {
    const before = state.waits.length;
    void held.hold();
    const [wait = 0] = state.waits.slice(before);
    told.push(state.now + wait);
  }
  const span = (told.at(-1) as number) - (told[0] as number);
  assert.ok(span >= (200 - 51) * 5, `200 within ${span} ms`);
});

test('refusals above the bound are sent at once', async () => {
  const { state, held } = bench();
  for (let i = 0; i < 5051; i++) void held.hold();
  const before = state.waits.length;
  await held.hold();
  assert.equal(state.waits.length, before);
  assert.equal(before, 5000);
});
