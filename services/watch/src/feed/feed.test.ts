import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, LogBatch } from '@tidegate/wire';
import { Feed } from './feed.ts';

function batch(first: number, last: number, byReference = false): LogBatch {
  const changes = [];
  for (let revision = first; revision <= last; revision++) changes.push({ revision, byReference } as Change);
  return { epoch: 1, first, last, changes };
}

interface Setup {
  feed: Feed;
  delivered: number[];
  reads: Array<[number, number]>;
  /** runs the timers that are due */
  tick: () => Promise<void>;
  lost: unknown[];
}

function setUp(log: (after: number, through: number) => LogBatch[] = () => []): Setup {
  const timers: Array<() => void> = [];
  const bench: Setup = {
    delivered: [],
    reads: [],
    lost: [],
    tick: async () => {
      for (const run of timers.splice(0)) run();
      await new Promise((resolve) => setImmediate(resolve));
    },
    feed: new Feed(0, {
      readLog: async function* (after, through) {
        bench.reads.push([after, through]);
        yield* log(after, through);
      },
      deliver: (b) => bench.delivered.push(...b.changes.map((c) => c.revision)),
      lost: (error) => bench.lost.push(error),
      gapDelayMs: 20,
      retry: { failedNow: () => 100, succeeded: () => {} },
      setTimer: (run) => timers.push(run),
    }),
  };
  return bench;
}

test('Batches in order are delivered as they arrive.', () => {
  const { feed, delivered, reads } = setUp();
  feed.offer(batch(1, 2));
  feed.offer(batch(3, 3));
  assert.deepEqual(delivered, [1, 2, 3]);
  assert.deepEqual(reads, []);
});

test('Repeated or overlapping batches are delivered once.', () => {
  const { feed, delivered } = setUp();
  for (const b of [batch(1, 3), batch(1, 3), batch(2, 5), batch(4, 4)]) feed.offer(b);
  assert.deepEqual(delivered, [1, 2, 3, 4, 5]);
});

test('Batches in the wrong order wait for their predecessors.', () => {
  const { feed, delivered } = setUp();
  feed.offer(batch(4, 5));
  feed.offer(batch(3, 3));
  assert.deepEqual(delivered, []);
  feed.offer(batch(1, 2));
  assert.deepEqual(delivered, [1, 2, 3, 4, 5]);
});

test('A lasting gap is read from the log, and the batches behind it follow.', async () => {
  const { feed, delivered, reads, tick } = setUp((after, through) => [batch(after + 1, Math.min(through, 2))]);
  feed.offer(batch(3, 4));
  await tick();
  assert.deepEqual(reads, [[0, 4]]);
  assert.deepEqual(delivered, [1, 2, 3, 4]);
});

test('The heartbeat reveals the loss of the last message, which is then read from the log.', async () => {
  const { feed, delivered, tick } = setUp((after, through) => [batch(after + 1, through)]);
  feed.offer(batch(1, 1));
  feed.expect(3);
  await tick();
  assert.deepEqual(delivered, [1, 2, 3]);
});

test('A gap that the bus fills in time is not read from the log.', async () => {
  const { feed, delivered, reads, tick } = setUp();
  feed.offer(batch(2, 2));
  feed.offer(batch(1, 1));
  await tick();
  assert.deepEqual(delivered, [1, 2]);
  assert.deepEqual(reads, []);
});

test('Values that were too large for the bus are read from the log.', async () => {
  const { feed, delivered, tick } = setUp((after, through) => [batch(after + 1, through)]);
  feed.offer(batch(1, 2, true));
  assert.deepEqual(delivered, []);
  await tick();
  assert.deepEqual(delivered, [1, 2]);
});

test('A log that was truncated above the feed ends the feed, and nothing is delivered afterwards.', async () => {
  const { feed, delivered, lost, tick } = setUp(() => {
    throw Object.assign(new Error('too old'), { code: 410 });
  });
  feed.expect(9);
  await tick();
  assert.equal(lost.length, 1);
  feed.offer(batch(1, 9));
  assert.deepEqual(delivered, []);
});

test('A failed read of the log is repeated.', async () => {
  let attempts = 0;
  const { feed, delivered, tick } = setUp((after, through) => {
    if (++attempts === 1) throw new Error('connection refused');
    return [batch(after + 1, through)];
  });
  feed.expect(2);
  await tick();
  assert.deepEqual(delivered, []);
  await tick();
  assert.deepEqual(delivered, [1, 2]);
});

test('Random loss, repetition and reordering never change the delivered changes.', async () => {
  for (let seed = 1; seed <= 50; seed++) {
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state >>> 8) % below;
    };
    const { feed, delivered, tick } = setUp((after, through) => [batch(after + 1, through)]);
    const all = Array.from({ length: 40 }, (_, i) => batch(i * 3 + 1, i * 3 + 3));
    const sent = all.flatMap((b) => (random(4) === 0 ? [] : random(4) === 0 ? [b, b] : [b]));
    for (let i = sent.length - 1; i > 0; i--) {
      const j = Math.max(0, i - random(5));
      [sent[i], sent[j]] = [sent[j] as LogBatch, sent[i] as LogBatch];
    }
    for (const b of sent) feed.offer(b);
    feed.expect(120);
    await tick();
    assert.deepEqual(
      delivered,
      Array.from({ length: 120 }, (_, i) => i + 1),
      `seed ${seed}`,
    );
  }
});

test('The log is read once for a revision that does not exist, which is then dropped.', async () => {
  const { feed, delivered, reads, tick } = setUp((after, through) => [batch(after + 1, Math.min(through, 4))]);
  feed.offer(batch(1, 2));
  feed.expect(9_999_999);
  assert.equal(feed.behind, true);
  for (let i = 0; i < 100; i++) await tick();
  assert.deepEqual(reads, [[2, 9_999_999]]);
  assert.deepEqual(delivered, [1, 2, 3, 4]);
  assert.equal(feed.behind, false);
});

test('A revision that is expected during a read of the log causes another read.', async () => {
  let head = 4;
  const { feed, delivered, reads, tick } = setUp((after, through) => {
    const last = Math.min(through, head);
    if (head === 4) {
      head = 6;
      feed.expect(6);
    }
    return [batch(after + 1, last)];
  });
  feed.expect(4);
  await tick();
  assert.equal(feed.behind, true);
  await tick();
  assert.deepEqual(delivered, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(reads.at(-1), [4, 6]);
  assert.equal(feed.behind, false);
});

test('A change that cannot be applied is never skipped: it ends the feed.', () => {
  const applied: number[] = [];
  const lost: unknown[] = [];
  const feed = new Feed(0, {
    readLog: async function* () {},
    deliver: (b) => {
      if (b.first === 2) throw new Error('not applicable');
      applied.push(b.first);
    },
    lost: (error) => lost.push(error),
    gapDelayMs: 20,
    retry: { failedNow: () => 100, succeeded: () => {} },
    setTimer: () => {},
  });
  for (const b of [batch(1, 1), batch(2, 2), batch(3, 3)]) feed.offer(b);
  assert.deepEqual(applied, [1]);
  assert.equal(lost.length, 1);
});

test('After a change that could not be applied, early batches are not delivered either.', () => {
  const applied: number[] = [];
  const lost: unknown[] = [];
  const feed = new Feed(0, {
    readLog: async function* () {},
    deliver: ({ first }) => {
      if (first === 1) throw new Error('not applicable');
      applied.push(first);
    },
    lost: (error) => lost.push(error),
    gapDelayMs: 20,
    retry: { failedNow: () => 100, succeeded: () => {} },
    setTimer: () => {},
  });
  feed.offer(batch(2, 2));
  feed.offer(batch(1, 1));
  assert.deepEqual(applied, []);
  assert.equal(lost.length, 1);
});

test('A closed feed does not report a failed read of the log.', async () => {
  const { feed, lost, tick } = setUp(() => {
    feed.close();
    throw Object.assign(new Error('too old'), { code: 410 });
  });
  feed.expect(9);
  await tick();
  assert.deepEqual(lost, []);
});
