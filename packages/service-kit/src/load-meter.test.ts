import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadMeter } from './load-meter.ts';

test('What is told is of the last whole spell, however often it is asked for.', () => {
  let now = 1000;
  let loopDelayMs = 30;
  const meter = new LoadMeter({ now: () => now, takeLoopDelayMs: () => loopDelayMs, residentBytes: () => 5 });
  meter.watchers = () => 3;
  meter.count();
  meter.count(9);
  meter.lagged(4);
  meter.lagged(7);
  meter.lagged(-2);
  now = 3000;
  meter.endSpell();
  meter.count(100);
  const told = { requestsPerSecond: 5, loopDelayMs: 30, residentBytes: 5, watchers: 3, hasLag: true, lagMs: 7 };
  assert.deepEqual(meter.load(), { ...told, uptimeSeconds: 2 });
  assert.deepEqual(meter.load(), meter.load());
  now = 5000;
  loopDelayMs = 0;
  meter.endSpell();
  assert.equal(meter.load().requestsPerSecond, 50);
});

test('Without any change there is no lag to tell, and one from the future is none.', () => {
  const meter = new LoadMeter();
  meter.endSpell();
  assert.equal(meter.load().hasLag, false);
  meter.lagged(-5);
  meter.endSpell();
  const { hasLag, lagMs } = meter.load();
  assert.deepEqual([hasLag, lagMs], [true, 0]);
});
