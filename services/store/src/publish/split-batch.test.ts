import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, type LogBatch, logBatchCodec } from '@tidegate/wire';
import { keyOf } from '../testing/fixture.ts';
import { messagesOf } from './split-batch.ts';

function change(revision: number, bytes: number): Change {
  return {
    kind: 0,
    key: keyOf(`n${revision}`),
    revision,
    previousRevision: 0,
    value: Buffer.alloc(bytes, 'v'),
    splice: 1,
    selection: Buffer.alloc(0),
    uid: 'u',
    deleting: false,
    traceparent: '',
    byReference: false,
    corrupt: '',
  };
}

function batch(...sizes: number[]): LogBatch {
  return { epoch: 2, first: 10, last: 9 + sizes.length, changes: sizes.map((size, i) => change(10 + i, size)) };
}

function decoded(messages: ReturnType<typeof messagesOf>): LogBatch[] {
  return messages.map(({ bytes }) => logBatchCodec.decode(bytes));
}

test('A batch within the limit is one message, whose id has its epoch and revisions.', () => {
  const messages = messagesOf(batch(10, 10), 1000);
  assert.deepEqual(
    messages.map(({ id }) => id),
    ['2-10-11'],
  );
});

test('A larger batch is split into messages within the limit, which cover every revision once.', () => {
  const messages = messagesOf(batch(300, 300, 300, 300, 300), 1000);
  assert.ok(messages.length > 1 && messages.every(({ bytes }) => bytes.length <= 1000));
  let at = 9;
  for (const part of decoded(messages)) {
    assert.equal(part.first, at + 1);
    assert.deepEqual(
      part.changes.map((c) => c.revision),
      Array.from({ length: part.last - at }, (_, i) => at + 1 + i),
    );
    at = part.last;
  }
  assert.equal(at, 14);
});

test('A value above the limit is replaced by a reference, and its neighbours keep their values.', () => {
  const parts = decoded(messagesOf(batch(10, 5000, 10), 1000));
  assert.deepEqual(
    parts.flatMap((part) => part.changes.map((c) => [c.revision, c.byReference, c.value.length])),
    [
      [10, false, 10],
      [11, true, 0],
      [12, false, 10],
    ],
  );
});
