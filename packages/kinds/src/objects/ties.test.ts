import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tiesOf } from './ties.ts';

const owner = (uid: string, fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'o',
  uid,
  ...fields,
});
const time = '2026-01-01T00:00:00Z';

test('an object without owners and finalizers of the collector has no ties', () => {
  assert.equal(tiesOf({}), undefined);
  assert.equal(tiesOf({ ownerReferences: [] }), undefined);
  assert.equal(tiesOf({ finalizers: ['orphan', 'foregroundDeletion'] }), undefined);
  assert.equal(tiesOf({ deletionTimestamp: time, finalizers: ['example.com/other'] }), undefined);
});

test('each owner is a word, which also shows whether the owner waits for the object', () => {
  const ownerReferences = [owner('b1', { blockOwnerDeletion: true }), owner('a2', { blockOwnerDeletion: false })];
  assert.deepEqual(tiesOf({ ownerReferences }), ['blocks/b1', 'owner/a2']);
});

test('a deleted owner waits as its finalizers say', () => {
  const finalizers = ['orphan', 'foregroundDeletion', 'example.com/other'];
  assert.deepEqual(tiesOf({ deletionTimestamp: time, finalizers }), ['waits/foreground', 'waits/orphan']);
});

test('no uid can be more than one word or too long for an index, whatever the client wrote', () => {
  const uids = ['a b', 'x'.repeat(5000), '\u0000', '__proto__', ''];
  assert.deepEqual(tiesOf({ ownerReferences: uids.map((uid) => owner(uid)) }), ['owner/unknown']);
});
