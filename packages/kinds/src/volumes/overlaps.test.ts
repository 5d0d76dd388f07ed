import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachOverlap } from './overlaps.ts';

function overlapsOf(paths: readonly string[], most = Number.POSITIVE_INFINITY): Array<[number, number]> {
  const found: Array<[number, number]> = [];
  eachOverlap(paths, (later, earlier) => found.push([later, earlier]) < most);
  return found;
}

test('a path overlaps with earlier paths that are equal, contain it, or are in it, in their order', () => {
  assert.deepEqual(overlapsOf(['etc/tls', 'var', 'etc', 'etc/tls']), [
    [2, 0],
    [3, 0],
    [3, 2],
  ]);
});

test('a path does not overlap with one that only has the same prefix, and an empty one with none', () => {
  assert.deepEqual(overlapsOf(['a', 'a-b', 'ab', 'a.b', '', '']), []);
});

test('no overlaps are reported after the listener has returned false', () => {
  assert.equal(
    overlapsOf(
      Array.from({ length: 100_000 }, () => 'a'),
      10,
    ).length,
    10,
  );
});
