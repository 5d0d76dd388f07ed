import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestFile } from './files.ts';
import { Backlog, shuffled } from './queue.ts';

const file = (name: string, system?: string): TestFile => ({ file: name, needs: 'servers', system });

test('A process continues with files for its shared system, and other processes prefer other files.', () => {
  const backlog = new Backlog([file('a1', 'a'), file('b1', 'b'), file('a2', 'a'), file('own'), file('a3', 'a')]);
  const [one, two] = [{}, {}];
  const taken = [one, two, one, two, two].map((taker) => backlog.take(taker)?.file);
  assert.deepEqual(taken, ['a1', 'b1', 'a2', 'own', 'a3']);
  assert.equal(backlog.take(one), undefined);
});

test('A random order has every file once, and is the same for the same seed.', () => {
  const files = Array.from({ length: 50 }, (_, i) => `file ${i}`);
  const order = shuffled(files, 7);
  assert.deepEqual(shuffled(files, 7), order);
  assert.notDeepEqual(shuffled(files, 8), order);
  assert.notDeepEqual(order, files);
  assert.deepEqual([...order].sort(), [...files].sort());
});
