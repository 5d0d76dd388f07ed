import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { type RequestInfo, requestInfo } from '@tidegate/request-info';
import { inTime, timeOf } from './request-time.ts';

const timeFor = (query: string) => timeOf(requestInfo('GET', `/api/v1/pods${query}`) as RequestInfo, 60_000);

test('a client may shorten the timeout, and not extend it', () => {
  assert.equal(timeFor(''), 60_000);
  assert.equal(timeFor('?timeout=5s'), 5000);
  assert.equal(timeFor('?timeout=5m'), 60_000);
  assert.equal(timeFor('?timeout=0'), 60_000);
  assert.equal(timeFor('?timeout=-5s'), 60_000);
  assert.throws(() => timeFor('?timeout=soon'), { code: 400, message: /invalid duration "soon"/ });
});

test('a late request gets 504, a begun answer is aborted, and later failures are ignored', async () => {
  let destroyed = 0;
  const raw = (headersSent: boolean) =>
    ({ headersSent, writableEnded: false, destroy: () => destroyed++ }) as unknown as ServerResponse;
  const { promise, reject } = Promise.withResolvers<number>();
  await assert.rejects(
    inTime(raw(false), 1, () => promise),
    { code: 504 },
  );
  assert.equal(destroyed, 0);
  await assert.rejects(
    inTime(raw(true), 1, () => promise),
    { code: 504 },
  );
  assert.equal(destroyed, 1);
  reject(new Error('too late'));
  assert.equal(await inTime(raw(false), 60_000, async () => 200), 200);
});
