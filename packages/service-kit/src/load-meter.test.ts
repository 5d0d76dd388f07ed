import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadMeter } from './load-meter.ts';

test('The last complete interval is reported, however often the load is read.', () => {
  let now = 1000;
  let loopDelayMs = 30;
  const meter = new LoadMeter({ now: () => now, takeLoopDelayMs: () => loopDelayMs, residentBytes: () => 5 });
  meter.watchers = () => 3;
  meter.count();
  meter.count(9);
  meter.noteLag(4);
  meter.noteLag(7);
  meter.noteLag(-2);
  now = 3000;
  meter.endInterval();
  meter.count(100);
  const expected = { requestsPerSecond: 5, loopDelayMs: 30, residentBytes: 5, watchers: 3, hasLag: true, lagMs: 7 };
  assert.deepEqual(meter.load(), { ...expected, uptimeSeconds: 2 });
  assert.deepEqual(meter.load(), meter.load());
  now = 5000;
  loopDelayMs = 0;
  meter.endInterval();
  assert.equal(meter.load().requestsPerSecond, 50);
});

test('Without changes no lag is reported, and a negative lag becomes zero.', () => {
  const meter = new LoadMeter();
  meter.endInterval();
  assert.equal(meter.load().hasLag, false);
  meter.noteLag(-5);
  meter.endInterval();
  const { hasLag, lagMs } = meter.load();
  assert.deepEqual([hasLag, lagMs], [true, 0]);
});
