import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from './arrivals.ts';

const open = new AbortController().signal;

test('A reader does not wait for a revision that has arrived.', async () => {
  const arrivals = new Arrivals(() => 7);
  await arrivals.when(7, open);
  assert.equal(arrivals.waiting, 0);
});

test('Readers whose revision has arrived are woken, and the others keep waiting.', async () => {
  let through = 7;
  const arrivals = new Arrivals(() => through);
  const woken: number[] = [];
  for (const revision of [9, 8, 12]) void arrivals.when(revision, open).then(() => woken.push(revision));
  through = 9;
  arrivals.note();
  await Promise.resolve();
  assert.deepEqual(woken, [9, 8]);
  assert.equal(arrivals.waiting, 1);
});

test('A reader whose call has ended is removed.', async () => {
  const arrivals = new Arrivals(() => 7);
  const call = new AbortController();
  const waiting = arrivals.when(Number.MAX_SAFE_INTEGER, call.signal);
  assert.equal(arrivals.waiting, 1);
  call.abort();
  await waiting;
  assert.equal(arrivals.waiting, 0);
  await arrivals.when(Number.MAX_SAFE_INTEGER, call.signal);
});
