import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRevision } from '@tidegate/revision';
import { RemainingCounts } from './remaining-counts.ts';

const end = (name: string, revision = 5, namespace = '') => ({
  resource: 'configmaps',
  namespace,
  revision: toRevision(revision),
  last: { namespace: 'n', name },
});

test('a remaining count holds only for one position of one list at one revision', () => {
  const counts = new RemainingCounts();
  counts.note(end('a'), 7);
  assert.equal(counts.after(end('a')), 7);
  assert.equal(counts.after(end('b')), undefined);
  assert.equal(counts.after(end('a', 6)), undefined);
  assert.equal(counts.after(end('a', 5, 'n')), undefined);
});

test('only the counts of the most recent pages are kept', () => {
  const counts = new RemainingCounts();
  for (let i = 0; i < 3000; i++) counts.note(end(`x${i}`), i);
  assert.equal(counts.after(end('x2999')), 2999);
  assert.equal(counts.after(end('x2000')), 2000);
  assert.equal(counts.after(end('x1000')), undefined);
});
