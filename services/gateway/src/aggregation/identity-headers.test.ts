import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityHeaders } from './identity-headers.ts';

test('a user is told by name, UID, groups and what else is known, each value in a header of its own', () => {
  const extra = { 'example.org/scope': ['read', 'write'], 'a%b': ['c'] };
  assert.deepEqual(identityHeaders({ name: 'ann', uid: 'u-1', groups: ['a', 'b'], extra }), [
    ...['X-Remote-User', 'ann', 'X-Remote-Uid', 'u-1', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b'],
    ...['X-Remote-Extra-example.org%2Fscope', 'read', 'X-Remote-Extra-example.org%2Fscope', 'write'],
    ...['X-Remote-Extra-a%25b', 'c'],
  ]);
});

test('who has no UID is told without, and letters beyond ASCII are bytes', () => {
  assert.deepEqual(identityHeaders({ name: 'é', uid: '', groups: [] }), ['X-Remote-User', 'Ã©']);
});
