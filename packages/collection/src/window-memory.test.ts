import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRevision } from '@tidegate/revision';
import type { CollectionEvent } from './event.ts';
import { EventWindow, WindowMemory } from './index.ts';

const SECOND = 1000;
const EVENT_BYTES = 200;

/** Windows that share a memory, with a clock that the test sets. */
class Bench {
  time = 0;
  revision = 0;
  readonly memory: WindowMemory;

  constructor(bytes: number) {
    this.memory = new WindowMemory({ bytes, now: () => this.time });
  }

  window(): EventWindow {
    return new EventWindow(toRevision(this.revision), [], this.memory);
  }

  add(window: EventWindow, count = 1): void {
    for (let i = 0; i < count; i++) {
      window.append({ revision: toRevision(++this.revision) } as CollectionEvent);
      this.memory.trim();
    }
  }

  after(ms: number): this {
    this.time += ms;
    return this;
  }
}

const held = (window: EventWindow) => window.end - window.start;

test('Events older than five minutes are dropped although there is room; younger ones are kept.', () => {
  const bench = new Bench(1 << 30);
  const [busy, quiet] = [bench.window(), bench.window()];
  bench.add(quiet, 10);
  bench.after(200 * SECOND).add(busy, 10);
  bench.after(99 * SECOND).add(busy, 10);
  assert.deepEqual([held(quiet), held(busy)], [10, 20]);
  bench.after(1 * SECOND).add(busy, 10);
  assert.deepEqual([held(quiet), held(busy)], [0, 30]);
  assert.equal(quiet.floor, 10, 'older revisions are read from the log');
  bench.after(299 * SECOND).memory.sweep();
  assert.equal(held(busy), 10, 'also while nothing happens');
});

test('When memory is short, events older than 75 seconds are dropped first, the oldest of all windows first.', () => {
  const bench = new Bench(100 * EVENT_BYTES);
  const [small, large, busy] = [bench.window(), bench.window(), bench.window()];
  bench.add(small, 10);
  bench.after(20 * SECOND).add(large, 60);
  bench.after(80 * SECOND).add(busy, 30);
  bench.add(busy);
  assert.deepEqual([held(small), held(large), held(busy)], [2, 60, 31], 'cut to 15/16 of the limit');
  bench.add(busy, 10);
  assert.deepEqual([held(small), held(large)], [0, 54]);
});

test('When all events are young, the largest window is cut, and the others are not.', () => {
  const bench = new Bench(100 * EVENT_BYTES);
  const [small, large] = [bench.window(), bench.window()];
  bench.add(small, 20);
  bench.after(10 * SECOND).add(large, 500);
  assert.equal(held(small), 20, 'although its events are older');
  assert.ok(held(large) > 70);
  assert.equal(bench.memory.reachMs(), 0);
  assert.equal(large.positionAfter(toRevision(20)), undefined);
});

test('The reach is that of the window that was cut most, and five minutes without a cut.', () => {
  const bench = new Bench(10 * EVENT_BYTES);
  const window = bench.window();
  bench.add(window, 10);
  assert.equal(bench.memory.reachMs(), 300 * SECOND);
  bench.after(40 * SECOND).add(window);
  assert.equal(bench.memory.reachMs(), 40 * SECOND);
  bench.after(500 * SECOND).memory.sweep();
  assert.equal(bench.memory.reachMs(), 300 * SECOND);
});

test('A removed window releases its memory.', () => {
  const bench = new Bench(10 * EVENT_BYTES);
  const [left, other] = [bench.window(), bench.window()];
  bench.add(left, 10);
  bench.memory.leave(left);
  bench.memory.leave(left);
  assert.equal(bench.memory.bytes, 0);
  bench.add(other, 10);
  assert.equal(held(other), 10);
});

/** A small random generator, so that a failed test can be repeated with its seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

interface AppendedEvent {
  readonly revision: number;
  readonly time: number;
}

const LIMIT = 400 * EVENT_BYTES;

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`The memory limit holds, and young events are lost only when no old ones are left (seed ${seed}).`, () => {
    const random = randomNumbers(seed);
    const bench = new Bench(LIMIT);
    const windows = Array.from({ length: 5 }, () => ({ window: bench.window(), appended: [] as AppendedEvent[] }));
    let youngLost = 0;
    for (let step = 0; step < 4000; step++) {
      bench.after(random(step % 1600 < 800 ? 20 : 400) === 0 ? random(30) * SECOND : random(200));
      // for some time one window gets many more events than the others
      const busy = windows[Math.floor(step / 800)]!;
      const { window, appended } = random(3) === 0 ? windows[random(5)]! : busy;
      const sizes = windows.map((other) => held(other.window));
      appended.push({ revision: bench.revision + 1, time: bench.time });
      bench.add(window);
      assert.ok(bench.memory.bytes <= LIMIT, `step ${step}: ${bench.memory.bytes} bytes`);
      assert.equal(
        bench.memory.bytes,
        windows.reduce((sum, other) => sum + other.window.bytes, 0),
      );
      const lost = windows.map((other) => loseAbove(other.window, other.appended));
      const isOld = ({ time }: AppendedEvent) => time < bench.time - 75 * SECOND;
      const young = lost.map((events) => events.filter((event) => !isOld(event)).length);
      for (const [i, count] of young.entries()) {
        youngLost += count;
        if (count === 0) continue;
        assert.ok(!windows.some((other) => other.appended.some(isOld)), `step ${step}: there were old ones`);
        assert.ok(sizes[i]! >= Math.max(...sizes) * (14 / 16) - 1, `step ${step}: it is one of the largest`);
      }
    }
    assert.ok(youngLost > 0, 'memory was short');
  });
}

/**
 * Checks that the window has all events but the oldest ones, and returns the number that it has lost since the last
 * check.
 */
function loseAbove(window: EventWindow, appended: AppendedEvent[]): AppendedEvent[] {
  const lost = appended.splice(0, appended.length - held(window));
  assert.deepEqual(
    Array.from({ length: held(window) }, (_, i) => window.at(window.start + i).revision as number),
    appended.map(({ revision }) => revision),
  );
  const last = lost.at(-1);
  if (last !== undefined) assert.equal(window.floor, last.revision);
  return lost;
}
