import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityHeaders } from './identity-headers.ts';

test('name, UID, groups and extra values are passed in separate headers', () => {
  const extra = { 'example.org/scope': ['read', 'write'], 'a%b': ['c'] };
  assert.deepEqual(identityHeaders({ name: 'ann', uid: 'u-1', groups: ['a', 'b'], extra }), [
    ...['X-Remote-User', 'ann', 'X-Remote-Uid', 'u-1', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b'],
    ...['X-Remote-Extra-example.org%2Fscope', 'read', 'X-Remote-Extra-example.org%2Fscope', 'write'],
    ...['X-Remote-Extra-a%25b', 'c'],
  ]);
});

test('an empty UID is omitted, and characters beyond ASCII are sent as UTF-8', () => {
  assert.deepEqual(identityHeaders({ name: 'é', uid: '', groups: [] }), ['X-Remote-User', 'Ã©']);
});
