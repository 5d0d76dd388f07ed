import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleAttributes } from '@tidegate/rbac';
import { readBinding } from './binding.ts';
import { Policy } from './policy.ts';

const RBAC = 'rbac.authorization.k8s.io';
const get: RuleAttributes = { isResource: true, verb: 'get', group: '', resource: 'pods', subresource: '', name: 'x' };
const reader = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const clusterRole = (name: string) => ({ kind: 'ClusterRole', namespace: '', name });

function user(name: string, ...groups: string[]) {
  return { name, uid: '', groups };
}

function binding(namespace: string, name: string, role: string, ...subjects: object[]) {
  const [kind = '', roleName = ''] = role.split('/');
  const kindOf = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const metadata = { name, ...(namespace !== '' && { namespace }) };
  const roleRef = { apiGroup: RBAC, kind, name: roleName };
  return readBinding({ kind: kindOf, metadata, roleRef, subjects } as never);
}

test('a decision names the binding, the role and the subject', () => {
  const policy = new Policy();
  policy.setRole(clusterRole('reader'), reader);
  policy.setRole({ kind: 'Role', namespace: 'a', name: 'own' }, reader);
  policy.addBinding(binding('', 'all', 'ClusterRole/reader', { kind: 'Group', name: 'dev' }));
  policy.addBinding(binding('a', 'some', 'ClusterRole/reader', { kind: 'User', name: 'ann' }));
  policy.addBinding(binding('a', 'bots', 'Role/own', { kind: 'ServiceAccount', name: 'bot' }));
  policy.addBinding(binding('', 'b', 'ClusterRole/reader', { kind: 'ServiceAccount', name: 'x', namespace: 'n' }));
  const reason = (who: ReturnType<typeof user>, namespace: string) => policy.decide(who, namespace, get).reason;
  assert.equal(
    reason(user('eve', 'dev'), 'z'),
    'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "dev"',
  );
  assert.equal(reason(user('ann'), 'a'), 'RBAC: allowed by RoleBinding "some/a" of ClusterRole "reader" to User "ann"');
  assert.equal(
    reason(user('system:serviceaccount:a:bot'), 'a'),
    'RBAC: allowed by RoleBinding "bots/a" of Role "own" to ServiceAccount "bot/a"',
  );
  assert.ok(policy.decide(user('system:serviceaccount:n:x'), '', get).allowed);
  for (const [who, namespace] of [
    ['ann', 'b'],
    ['ann', ''],
    ['eve', 'a'],
    ['dev', 'a'],
    ['system:serviceaccount:b:bot', 'a'],
  ] as const) {
    assert.deepEqual(
      policy.decide(user(who), namespace, get),
      { allowed: false, reason: '' },
      `${who} in ${namespace}`,
    );
  }
});

test('a missing role is reported once for all bindings, and applies once it is created', () => {
  const policy = new Policy();
  policy.addBinding(binding('a', 'one', 'Role/later', { kind: 'User', name: 'ann' }));
  policy.addBinding(binding('a', 'two', 'Role/later', { kind: 'User', name: 'ann' }));
  const decide = () => policy.decide(user('ann'), 'a', get);
  assert.equal(decide().reason, 'RBAC: role.rbac.authorization.k8s.io "later" not found');
  policy.addBinding(binding('', 'three', 'ClusterRole/absent', { kind: 'User', name: 'ann' }));
  assert.match(decide().reason, /^RBAC: \[clusterrole.*"absent" not found, role.*"later" not found\]$/);
  policy.setRole({ kind: 'Role', namespace: 'a', name: 'later' }, reader);
  assert.ok(decide().allowed);
  policy.setRole({ kind: 'Role', namespace: 'a', name: 'later' }, undefined);
  assert.ok(!decide().allowed);
});

test('a deleted binding removes its own grants and no others', () => {
  const policy = new Policy();
  policy.setRole(clusterRole('reader'), reader);
  const one = binding('a', 'one', 'ClusterRole/reader', { kind: 'User', name: 'ann' }, { kind: 'Group', name: 'dev' });
  const two = binding('a', 'two', 'ClusterRole/reader', { kind: 'User', name: 'ann' });
  policy.addBinding(one);
  policy.addBinding(two);
  policy.removeBinding(one);
  assert.ok(!policy.decide(user('x', 'dev'), 'a', get).allowed);
  assert.match(policy.decide(user('ann'), 'a', get).reason, /"two\/a"/);
  policy.removeBinding(two);
  assert.deepEqual(policy.rulesFor(user('ann', 'dev'), 'a'), { rules: [], missing: '' });
});
