import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRevision } from '@tidegate/revision';
import { Collection, corruptObject, eventKind, type ItemParts, WindowMemory } from './index.ts';

function parts(name: string, revision: number, value = `{"name":"${name}"}`): ItemParts {
  return {
    namespace: 'n',
    name,
    revision: toRevision(revision),
    uid: 'u',
    value: Buffer.from(value),
    splice: 1,
    selection: new Uint8Array(),
    deleting: false,
  };
}

function collection(corrupt: string[] = []): Collection {
  return new Collection({
    revision: toRevision(1),
    floor: toRevision(1),
    segments: [],
    corrupt: corrupt.map((name) => corruptObject({ key: { namespace: 'n', name }, revision: 1, corrupt: 'broken' })),
    memory: new WindowMemory({ bytes: 1 << 20 }),
  });
}

function apply(own: Collection, kind: keyof typeof eventKind, name: string, revision: number, corrupt = '') {
  const value = corrupt === '' ? undefined : '';
  return own.apply({ kind: eventKind[kind], state: parts(name, revision, value), traceparent: '', corrupt });
}

const names = (own: Collection) => own.corruptObjects().map(({ name, why }) => `${name}: ${why}`);

test('an unreadable object is kept beside the state, by its namespace', () => {
  const own = collection(['x', 'y']);
  assert.deepEqual(names(own), ['x: broken', 'y: broken']);
  assert.deepEqual([own.size, own.corruptObjects('other').length], [0, 0]);
  assert.deepEqual(
    [own.isCorrupt({ namespace: 'n', name: 'x' }), own.isCorrupt({ namespace: 'n', name: 'z' })],
    [true, false],
  );
});

test('an unreadable change removes the object, and the history begins again after it', () => {
  const own = collection();
  apply(own, 'created', 'a', 2);
  assert.equal(apply(own, 'updated', 'a', 3, 'broken'), undefined);
  assert.deepEqual([own.size, names(own)], [0, ['a: broken']]);
  assert.equal(own.window.positionAfter(toRevision(2)), undefined);
  assert.notEqual(own.window.positionAfter(toRevision(3)), undefined);
  assert.equal(own.at(toRevision(2)), undefined);
});

test('the deletion of an object that was readable before shows its last readable state at the revision of the deletion', () => {
  const own = collection();
  apply(own, 'created', 'a', 2);
  const event = apply(own, 'deleted', 'a', 3, 'broken');
  assert.equal(event?.kind, eventKind.deleted);
  assert.equal(event?.previous?.jsonAt(toRevision(3)).toString(), '{,"resourceVersion":"3""name":"a"}');
  assert.deepEqual([names(own), own.window.floor], [[], 1]);
});

test('the deletion of an object that was never readable shows no event, and the history begins again', () => {
  const own = collection(['x']);
  assert.equal(apply(own, 'deleted', 'x', 2, 'broken'), undefined);
  assert.deepEqual([names(own), own.window.floor, own.through], [[], 2, 2]);
});

test('a write over a corrupt object makes it readable; no earlier list can be read that would lack it', () => {
  const own = collection(['x']);
  assert.equal(apply(own, 'updated', 'x', 5)?.revision, 5);
  assert.deepEqual([names(own), own.size], [[], 1]);
  assert.equal(own.at(toRevision(3)), undefined);
  assert.deepEqual([own.at(toRevision(5))?.size, own.window.end - own.window.start], [1, 1]);
});
