import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlainMaxima } from './flow-control.ts';

test('reads and writes are counted separately, and a completed request makes room', () => {
  const maxima = new PlainMaxima({ reads: 2, writes: 1 });
  const first = maxima.enter('get');
  assert.ok(first !== undefined && maxima.enter('list') !== undefined);
  assert.equal(maxima.enter('watch'), undefined);
  assert.ok(maxima.enter('create') !== undefined);
  assert.equal(maxima.enter('post'), undefined);
  first();
  assert.ok(maxima.enter('get') !== undefined);
});

test('a maximum of 0 means no limit', () => {
  const maxima = new PlainMaxima({ reads: 0, writes: 1 });
  for (let i = 0; i < 1000; i++) assert.ok(maxima.enter('get') !== undefined);
});
