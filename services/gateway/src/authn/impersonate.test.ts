import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { impersonated } from './impersonate.ts';
import type { User } from './user.ts';

const admin: User = { name: 'admin', uid: '', groups: ['system:masters', 'system:authenticated'] };
const nobody: User = { name: 'ann', uid: 'u', groups: ['system:authenticated'] };

function as(user: User, ...rawHeaders: string[]): User {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => [name.toLowerCase(), '']);
  return impersonated({ headers: Object.fromEntries(names), rawHeaders } as unknown as IncomingMessage, user);
}

test('without headers a user is who they are', () => {
  assert.equal(as(nobody, 'Accept', 'x'), nobody);
});

test('who may stand in for others is them, with the groups and what else is asked for', () => {
  assert.deepEqual(as(admin, 'Impersonate-User', 'bob'), {
    name: 'bob',
    uid: '',
    groups: ['system:authenticated'],
    extra: {},
  });
  const headers = [
    'Impersonate-User',
    'bob',
    'impersonate-group',
    'a,b',
    'Impersonate-Group',
    'c',
    'Impersonate-Uid',
    '7',
  ];
  const extra = ['Impersonate-Extra-Example.com%2FScopes', 'x', 'impersonate-extra-example.com%2fscopes', 'y'];
  assert.deepEqual(as(admin, ...headers, ...extra), {
    name: 'bob',
    uid: '7',
    groups: ['a,b', 'c', 'system:authenticated'],
    extra: { 'example.com/scopes': ['x', 'y'] },
  });
  assert.deepEqual(as(admin, 'Impersonate-User', 'system:anonymous').groups, ['system:unauthenticated']);
  assert.deepEqual(as(admin, 'Impersonate-User', 'system:serviceaccount:n:a').groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:n',
    'system:authenticated',
  ]);
});

test('who may not is refused, and nobody is half somebody else', () => {
  assert.throws(() => as(nobody, 'Impersonate-User', 'admin'), {
    code: 403,
    message:
      'users "admin" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
  });
  assert.throws(() => as(nobody, 'Impersonate-User', 'system:serviceaccount:n:a'), {
    message:
      'serviceaccounts "a" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "n"',
  });
  assert.throws(() => as(admin, 'Impersonate-Group', 'system:masters'), {
    code: 500,
    message: /without impersonating a user$/,
  });
});
