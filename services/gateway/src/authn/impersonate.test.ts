import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Authorizer } from '../authz/authorizer.ts';
import { readModes } from '../authz/modes.ts';
import { Policy } from '../authz/policy.ts';
import type { User } from '../request/user.ts';
import { impersonated, isImpersonated } from './impersonate.ts';

const admin: User = { name: 'admin', uid: '', groups: ['system:masters', 'system:authenticated'] };
const ann: User = { name: 'ann', uid: 'u', groups: ['system:authenticated'] };

const policy = new Policy();
const mirror = { policy, isFresh: true, latest: async () => {}, through: async () => {} };
const authorizer = new Authorizer(readModes(['RBAC']), mirror);

function requestWith(rawHeaders: readonly string[]): IncomingMessage {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => [name.toLowerCase(), '']);
  return { headers: Object.fromEntries(names), rawHeaders } as unknown as IncomingMessage;
}

function as(user: User, ...rawHeaders: string[]): Promise<User> {
  return impersonated(requestWith(rawHeaders), user, authorizer);
}

test('a request without impersonation headers keeps its user', () => {
  assert.equal(isImpersonated(requestWith(['Accept', 'x'])), false);
  assert.equal(isImpersonated(requestWith(['Impersonate-User', 'x'])), true);
});

test('a role permits the impersonation of the users that it names, and of no others', async () => {
  const role = { kind: 'ClusterRole', namespace: '', name: 'stand-in' };
  const subject = { isGroup: false, key: 'eve', text: 'User "eve"' };
  policy.setRole(role, [
    { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'], resourceNames: ['bob', 'dev'] },
    { apiGroups: ['authentication.k8s.io'], resources: ['userextras/scopes'], verbs: ['impersonate'] },
  ]);
  policy.addBinding({ namespace: '', name: 'b', role, subjects: [subject] });
  const eve = { ...ann, name: 'eve', until: 5 };
  const bob = await as(eve, 'Impersonate-User', 'bob', 'Impersonate-Group', 'dev', 'Impersonate-Extra-scopes', 'x');
  assert.deepEqual(bob.extra, { scopes: ['x'] });
  assert.equal(bob.until, 5, 'no longer than the one who stands in is known');
  await assert.rejects(as(eve, 'Impersonate-User', 'ann'), { code: 403 });
  await assert.rejects(as(eve, 'Impersonate-User', 'bob', 'Impersonate-Group', 'ops'), /impersonate resource "groups"/);
  await assert.rejects(as(eve, 'Impersonate-User', 'bob', 'Impersonate-Uid', '1'), /impersonate resource "uids"/);
  await assert.rejects(as(eve, 'Impersonate-User', 'bob', 'Impersonate-Extra-other', '1'), /userextras\/other/);
});

test('an impersonated user has the requested groups, uid and extra values', async () => {
  assert.deepEqual(await as(admin, 'Impersonate-User', 'bob'), {
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
  assert.deepEqual(await as(admin, ...headers, ...extra), {
    name: 'bob',
    uid: '7',
    groups: ['a,b', 'c', 'system:authenticated'],
    extra: { 'example.com/scopes': ['x', 'y'] },
  });
  assert.deepEqual((await as(admin, 'Impersonate-User', 'system:anonymous')).groups, ['system:unauthenticated']);
  assert.deepEqual((await as(admin, 'Impersonate-User', 'system:serviceaccount:n:a')).groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:n',
    'system:authenticated',
  ]);
});

test('one forbidden attribute refuses the whole impersonation', async () => {
  await assert.rejects(as(ann, 'Impersonate-User', 'admin'), {
    code: 403,
    message:
      'users "admin" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
  });
  await assert.rejects(as(ann, 'Impersonate-User', 'system:serviceaccount:n:a'), {
    message:
      'serviceaccounts "a" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "n"',
  });
  await assert.rejects(as(admin, 'Impersonate-Group', 'system:masters'), {
    code: 500,
    message: /without impersonating a user$/,
  });
});
