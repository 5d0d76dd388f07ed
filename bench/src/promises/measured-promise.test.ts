import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredPromise } from './measured-promise.ts';
import { promiseTable } from './promise-table.ts';

const promise = { name: 'a right is revoked', page: '', limitMs: 100 };

test('A promise is kept always, at the median, or not at all.', () => {
  const kept = (times: readonly number[]) => measuredPromise(promise, times).kept;
  assert.equal(kept([100, 3, 20]), 'always');
  assert.equal(kept([101, 3, 20]), 'at the median');
  assert.equal(kept([101, 3, 102]), 'no');
});

test('The median of an even number of times is the mean of both middle ones.', () => {
  assert.equal(measuredPromise(promise, [4, 1, 3, 2]).medianMs, 2.5);
  assert.equal(measuredPromise(promise, [4, 1, 3]).medianMs, 3);
});

test('The table shows milliseconds, and seconds from one second on.', () => {
  const [, , row] = promiseTable([measuredPromise({ ...promise, limitMs: 2000 }, [12.4, 1840, 12.4])]).split('\n');
  assert.deepEqual(
    row?.split('|').map((cell) => cell.trim()),
    ['', 'a right is revoked', '3', '12 ms', '1.8 s', '2.0 s', 'always', ''],
  );
});
