import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachOverlap } from './overlaps.ts';

function overlapsOf(paths: readonly string[], most = Number.POSITIVE_INFINITY): Array<[number, number]> {
  const found: Array<[number, number]> = [];
  eachOverlap(paths, (later, earlier) => found.push([later, earlier]) < most);
  return found;
}

test('a path overlaps with those before it that are the same, hold it, or are in it, in their order', () => {
  assert.deepEqual(overlapsOf(['etc/tls', 'var', 'etc', 'etc/tls']), [
    [2, 0],
    [3, 0],
    [3, 2],
  ]);
});

test('a path does not overlap with one whose name only begins as its own, and an empty one with none', () => {
  assert.deepEqual(overlapsOf(['a', 'a-b', 'ab', 'a.b', '', '']), []);
});

test('nothing more is told once the listener has heard enough', () => {
  assert.equal(
    overlapsOf(
      Array.from({ length: 100_000 }, () => 'a'),
      10,
    ).length,
    10,
  );
});
