import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memo } from './memo.ts';

const value = (size: number) => ({ size });

test('What nobody has asked for the longest goes first, and all together never have more bytes than they may.', () => {
  const memo = new Memo<{ size: number }>(10);
  memo.set('a', value(4));
  memo.set('b', value(4));
  assert.ok(memo.get('a'));
  memo.set('c', value(4));
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => memo.get(name)?.size),
    [4, undefined, 4],
  );
  assert.equal(memo.bytes, 8);
});

test('A value that is put in again counts once, and one that is too large is not kept.', () => {
  const memo = new Memo<{ size: number }>(10);
  memo.set('a', value(4));
  memo.set('a', value(6));
  assert.equal(memo.bytes, 6);
  memo.set('a', value(11));
  assert.equal(memo.get('a'), undefined);
  assert.equal(memo.bytes, 0);
});
