import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, LogBatch } from '@tidegate/wire';
import { ChangeFeed } from './change-feed.ts';

function batch(first: number, last: number, bytes = 10): LogBatch {
  const changes = Array.from({ length: last - first + 1 }, (_, i) => {
    return { revision: first + i, value: Buffer.alloc(bytes) } as unknown as Change;
  });
  return { epoch: 1, first, last, changes };
}

function followed(): { feed: ChangeFeed; follower: AbortController } {
  const feed = new ChangeFeed();
  const follower = new AbortController();
  feed.join(follower.signal);
  return { feed, follower };
}

test('A commit is returned to a follower at the revision before it.', () => {
  const { feed } = followed();
  feed.committed(batch(5, 7));
  assert.equal(feed.batchAfter(4)?.last, 7);
  assert.equal(feed.batchAfter(5), undefined);
  assert.equal(feed.revision, 7);
});

test('The revision never decreases.', () => {
  const { feed } = followed();
  feed.advance(9);
  feed.committed(batch(5, 7));
  assert.equal(feed.revision, 9);
});

test('A change wakes the waiting followers, and a follower that leaves stops waiting.', async () => {
  const { feed, follower } = followed();
  const woken = feed.nextChange(60_000, follower.signal);
  feed.advance(2);
  await woken;
  const left = feed.nextChange(60_000, follower.signal);
  follower.abort();
  await left;
});

test('Recent batches are limited by bytes, and the oldest is dropped first.', () => {
  const { feed } = followed();
  for (let i = 0; i < 10; i++) feed.committed(batch(i + 1, i + 1, 1 << 20));
  assert.equal(feed.batchAfter(0), undefined);
  assert.equal(feed.batchAfter(9)?.last, 10);
});

test('Batches are not kept while there is no follower.', () => {
  const { feed, follower } = followed();
  follower.abort();
  feed.committed(batch(1, 1));
  assert.equal(feed.batchAfter(0), undefined);
  assert.equal(feed.followed, false);
});
