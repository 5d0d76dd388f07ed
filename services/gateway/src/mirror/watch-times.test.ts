import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchTimes } from './watch-times.ts';

/**
 * Lets the time pass in steps of 100 ms, and returns the calls of each watch with their times (in tenths of a second).
 */
function play(seconds: number, watches: ReadonlyArray<{ timeoutMs: number; bookmarks: boolean }>, leavesAt = Infinity) {
  let now = 12_345;
  const begun = now;
  const times = new WatchTimes(() => now);
  const calls = watches.map(() => [] as string[]);
  const placed = watches.map((watch, i) => {
    const note = (what: string) => calls[i]?.push(`${what} ${Math.round((now - begun) / 100)}`);
    return times.add({ bookmark: () => note('bookmark'), end: () => note('end') }, watch);
  });
  for (let tenth = 1; tenth <= seconds * 10; tenth++) {
    now += 100;
    if (tenth / 10 === leavesAt) for (const time of placed) times.remove(time);
    times.pass();
  }
  return calls;
}

const at = (line: string | undefined) => Number(line?.split(' ')[1]) / 10;

test('a watch ends after its timeout, within half a second', () => {
  for (const timeoutMs of [1, 1000, 1100, 1200, 1300, 30_000]) {
    const [calls = []] = play(40, [{ timeoutMs, bookmarks: false }]);
    assert.equal(calls.length, 1);
    assert.ok(at(calls[0]) * 1000 >= timeoutMs && at(calls[0]) * 1000 <= timeoutMs + 500, `${timeoutMs}: ${calls}`);
  }
});

test('bookmarks are sent about once a minute, and two seconds before the end', () => {
  const [calls = []] = play(310, [{ timeoutMs: 300_000, bookmarks: true }]);
  assert.equal(calls.at(-1)?.startsWith('end'), true);
  const bookmarks = calls.slice(0, -1).map(at);
  for (const [i, time] of bookmarks.entries()) {
    const apart = time - (bookmarks[i - 1] ?? 0);
    assert.ok(apart <= 66.5, `${calls}`);
    if (i < bookmarks.length - 1) assert.ok(apart >= 54, `${calls}`);
  }
  assert.ok(Math.abs((bookmarks.at(-1) ?? 0) - 298) <= 0.5, `${calls}`);
});

test('a watch of two seconds or less has no bookmark', () => {
  assert.deepEqual(play(5, [{ timeoutMs: 2000, bookmarks: true }])[0]?.length, 1);
});

test('a removed watch gets no bookmarks', () => {
  const both = { timeoutMs: 100_000, bookmarks: true };
  assert.deepEqual(play(120, [both, both], 10), [[], []]);
});

test('the bookmarks of many watches are spread over time', () => {
  const calls = play(70, new Array(100).fill({ timeoutMs: 1_800_000, bookmarks: true }));
  assert.ok(new Set(calls.map(([first]) => first)).size > 20);
});

test('the timer runs only while a watch exists, and a watch after a long pause ends on time', () => {
  let now = 0;
  const times = new WatchTimes(() => now);
  times.start();
  const ended: number[] = [];
  const add = () =>
    times.add({ bookmark: () => {}, end: () => ended.push(now) }, { timeoutMs: 1000, bookmarks: false });
  const left = add();
  times.remove(left);
  assert.equal(times.isWaiting, true);
  times.pass();
  assert.equal(times.isWaiting, false);
  now = 3_600_000;
  add();
  for (; ended.length === 0; now += 50) times.pass();
  assert.ok((ended[0] as number) >= 3_601_000 && (ended[0] as number) <= 3_601_500, `${ended}`);
  assert.equal(times.isWaiting, false);
  times.stop();
});
