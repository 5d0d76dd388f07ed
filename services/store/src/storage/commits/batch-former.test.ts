import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardKind, type Write } from '@tidegate/wire';
import { keyOf, live, write } from '../../testing/fixture.ts';
import { formBatch } from './batch-former.ts';

const limits = { writes: 10, bytes: 1000 };

function names(queue: readonly Write[], limit = limits, bytes = 1): { batch: string[]; rest: string[] } {
  const { batch, rest } = formBatch(
    queue.map((one) => ({ write: one, bytes })),
    limit,
  );
  const nameOf = ({ write: one }: { write: Write }) => `${one.kind} ${one.key.name}`;
  return { batch: batch.map(nameOf), rest: rest.map(nameOf) };
}

const namespace = keyOf('team', '', 'namespaces');

test('Writes of different keys form one batch in their order.', () => {
  const queue = [write('create', keyOf('a')), write('update', keyOf('b')), write('delete', keyOf('c'))];
  assert.deepEqual(names(queue), { batch: ['0 a', '1 b', '2 c'], rest: [] });
});

test('A second write to a key waits, and later writes overtake it.', () => {
  const queue = [write('create', keyOf('a')), write('update', keyOf('a')), write('create', keyOf('b'))];
  assert.deepEqual(names(queue), { batch: ['0 a', '0 b'], rest: ['1 a'] });
});

test('Many writes may have a guard on the same key.', () => {
  const guards = [live(namespace)];
  const queue = [write('create', keyOf('a'), { guards }), write('create', keyOf('b'), { guards })];
  assert.deepEqual(names(queue).rest, []);
});

test('A write to a key that a guard of the batch names waits.', () => {
  const queue = [write('create', keyOf('a'), { guards: [live(namespace)] }), write('update', namespace)];
  assert.deepEqual(names(queue), { batch: ['0 a'], rest: ['1 team'] });
});

test('A write whose guard names a written key of the batch waits.', () => {
  const queue = [write('create', namespace), write('create', keyOf('a'), { guards: [live(namespace)] })];
  assert.deepEqual(names(queue), { batch: ['0 team'], rest: ['0 a'] });
});

test('The removal of an empty namespace and a write in it are never in the same batch.', () => {
  const removal = write('delete', namespace, { guards: [{ kind: guardKind.namespaceEmpty, key: namespace }] });
  const inside = write('create', keyOf('a', 'team'));
  assert.deepEqual(names([removal, inside]), { batch: ['2 team'], rest: ['0 a'] });
  assert.deepEqual(names([inside, removal]), { batch: ['0 a'], rest: ['2 team'] });
  assert.deepEqual(names([removal, write('create', keyOf('b', 'other'))]).rest, []);
});

test('No two writes of a batch have the same claim.', () => {
  const claim = (name: string, word: string) => {
    const guards = [{ kind: guardKind.unclaimed, key: { resource: '', namespace: '', name: word } }];
    return write('create', keyOf(name), { claims: [word], guards });
  };
  assert.deepEqual(names([claim('a', 'x'), claim('b', 'x'), claim('c', 'y')]), {
    batch: ['0 a', '0 c'],
    rest: ['0 b'],
  });
  const keeps = write('update', keyOf('d'), { claims: ['x'] });
  assert.deepEqual(names([keeps, claim('a', 'x')]), { batch: ['1 d'], rest: ['0 a'] });
});

test('Joined writes count as one: they may guard each other, and a second write joined to the same key waits.', () => {
  const counter = keyOf('counter');
  const counted = (name: string) => {
    const [own, guard] = [keyOf(name), { kind: guardKind.atRevision, key: counter, fence: 1 }];
    const guards = [{ kind: guardKind.atRevision, key: own, fence: 0 }];
    return write('create', own, { guards: [guard], joined: [write('update', counter, { guards })] });
  };
  const queue = [counted('a'), counted('b'), write('create', keyOf('c')), write('update', counter)];
  assert.deepEqual(names(queue), { batch: ['0 a', '0 c'], rest: ['0 b', '1 counter'] });
});

test('A batch ends at its limit of writes.', () => {
  const queue = ['a', 'b', 'c'].map((name) => write('create', keyOf(name)));
  assert.deepEqual(names(queue, { writes: 2, bytes: 1000 }), { batch: ['0 a', '0 b'], rest: ['0 c'] });
});

test('A batch ends at its limit of bytes, but always has one write.', () => {
  const queue = ['a', 'b', 'c'].map((name) => write('create', keyOf(name)));
  assert.deepEqual(names(queue, limits, 600), { batch: ['0 a'], rest: ['0 b', '0 c'] });
  assert.deepEqual(names(queue, limits, 5000).batch, ['0 a']);
});

test('Small writes overtake a large write that exceeds the remaining size, which is then first in the next batch.', () => {
  const sized = [900, 900, 50, 50].map((bytes, i) => ({ write: write('create', keyOf(`${'abcd'[i]}`)), bytes }));
  const { batch, rest } = formBatch(sized, limits);
  assert.deepEqual(
    [batch, rest].map((items) => items.map((item) => item.write.key.name).join('')),
    ['acd', 'b'],
  );
});
