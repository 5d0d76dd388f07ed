import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../testing/fixture.ts';
import { compareKeys } from './key-order.ts';

test('Keys are ordered by the bytes of their UTF-8, column by column.', () => {
  const texts = ['', 'a', 'a-', 'a.b', 'a0', 'ab', 'b', 'ä', '\u{ffee}', '\u{1f600}', '\u{1f600}a'];
  const shuffled = [...texts].reverse();
  assert.deepEqual(
    shuffled
      .map((text) => keyOf(text))
      .sort(compareKeys)
      .map((key) => key.name),
    texts,
  );
  assert.ok(compareKeys(keyOf('z', 'a'), keyOf('a', 'a-b')) < 0);
  assert.ok(compareKeys(keyOf('a', 'z', 'pods'), keyOf('a', 'a', 'pods.x')) < 0);
});
