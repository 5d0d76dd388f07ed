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

test('a refusal now and then is told at once', async () => {
  const { state, held } = bench();
  for (let i = 0; i < 10; i++) {
    state.now += 500;
    await held.hold();
  }
  assert.deepEqual(state.waits, []);
});

test('of many that come together, those above the first are told one after another', () => {
  const { state, held } = bench();
  for (let i = 0; i < 60; i++) void held.hold();
  assert.deepEqual(state.waits, [5, 10, 15, 20, 25, 30, 35, 40, 45]);
});

test('those that tell their clients when to come again are held for so long, and do not come again together', () => {
  const { state, held } = bench();
  for (let i = 0; i < 100; i++) void held.hold(1000);
  assert.ok(state.waits.every((ms) => ms >= 1000));
  assert.ok((state.waits.at(-1) as number) >= 1200);
});

test('who comes again after each refusal gets one each 5 ms', async () => {
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

test('what cannot be held is told at once', async () => {
  const { state, held } = bench();
  for (let i = 0; i < 5051; i++) void held.hold();
  const before = state.waits.length;
  await held.hold();
  assert.equal(state.waits.length, before);
  assert.equal(before, 5000);
});
