import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AggregatingRole, outdatedRoles } from './aggregated-roles.ts';
import { BootstrapPolicy, type PolicyObject, reconciled, wantedPolicy } from './bootstrap-policy.ts';

const wanted = wantedPolicy();
const named = (kind: string, name: string) =>
  wanted.find((one) => one.kind === kind && one.metadata.name === name) as PolicyObject;
const pods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const nodes = { verbs: ['get'], apiGroups: [''], resources: ['nodes'] };

test('Aggregating roles are created with all their rules, also through one another.', () => {
  const verbsOn = (role: string, resource: string) =>
    (named('ClusterRole', role).rules ?? [])
      .filter(({ resources }) => resources?.includes(resource))
      .flatMap(({ verbs }) => verbs ?? []);
  for (const role of ['view', 'edit', 'admin']) assert.ok(verbsOn(role, 'configmaps').includes('list'), role);
  assert.ok(!verbsOn('view', 'secrets').includes('get') && verbsOn('edit', 'secrets').includes('get'));
  assert.ok(!verbsOn('edit', 'rolebindings').includes('create') && verbsOn('admin', 'rolebindings').includes('create'));
  const roles = wanted.filter(({ kind }) => kind === 'ClusterRole') as AggregatingRole[];
  assert.equal(outdatedRoles(roles).size, 0);
});

test('Roles that aggregate one another in a circle become stable.', () => {
  const aggregates = (name: string, from: string, ...rules: object[]) => ({
    metadata: { name, labels: { [name]: 'x' } },
    rules,
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [from]: 'x' } }] },
  });
  const plain = { metadata: { name: 'p', labels: { b: 'x' } }, rules: [pods] };
  const changed = outdatedRoles([aggregates('a', 'b'), aggregates('b', 'a', nodes), plain]);
  assert.deepEqual(new Set([...changed.keys()].map(({ metadata }) => metadata.name)), new Set(['a', 'b']));
});

const present = (over: Partial<PolicyObject>): PolicyObject => ({
  kind: 'ClusterRole',
  metadata: { name: 'r', uid: 'u', labels: { own: 'x' } },
  ...over,
});
const want = (over: Partial<PolicyObject>): PolicyObject => ({
  kind: 'ClusterRole',
  metadata: { name: 'r', labels: { l: 'y' }, annotations: {} },
  ...over,
});

test('A role gets the rules that it lacks, and keeps its other rules.', () => {
  const next = reconciled(want({ rules: [pods, nodes] }), present({ rules: [{ ...pods, verbs: ['get', 'delete'] }] }));
  assert.deepEqual(next, {
    ...present({}),
    metadata: { name: 'r', uid: 'u', labels: { l: 'y', own: 'x' }, annotations: {} },
    rules: [{ ...pods, verbs: ['get', 'delete'] }, { ...pods, verbs: ['list'] }, nodes],
  });
  assert.equal(reconciled(next as PolicyObject, next as PolicyObject), undefined);
});

test('A role whose annotation forbids updates is not changed.', () => {
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
  const left = present({ metadata: { name: 'r', annotations }, rules: [] });
  assert.equal(reconciled(want({ rules: [pods] }), left), undefined);
});

test('A binding gets the subjects that it lacks, and is recreated where it binds another role.', () => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
  const [ann, bob] = [
    { kind: 'User', name: 'ann' },
    { kind: 'User', name: 'bob' },
  ];
  const next = reconciled(want({ roleRef, subjects: [ann] }), present({ roleRef, subjects: [bob] }));
  assert.deepEqual((next as PolicyObject).subjects, [bob, ann]);
  const other = { ...roleRef, name: 'other' };
  assert.equal(reconciled(want({ roleRef }), present({ roleRef: other })), 'recreate');
});

test('An object that cannot be created yet is created in a later pass, and then no more requests are sent.', async () => {
  const made = new Map<string, PolicyObject>();
  let namespacesExist = false;
  let requests = 0;
  const gateway = {
    async send(method: string, path: string, object?: unknown) {
      requests++;
      if (method === 'GET') {
        const resource = path.split('/').at(-1);
        const items = [...made].flatMap(([key, item]) => (key.startsWith(`${resource} `) ? [item] : []));
        return { code: 200, body: { items } };
      }
      const { metadata } = object as PolicyObject;
      if (metadata.namespace !== undefined && !namespacesExist) return { code: 404, body: {} };
      made.set(`${path.split('/').at(-1)} ${metadata.namespace ?? ''}/${metadata.name}`, object as PolicyObject);
      return { code: 201, body: {} };
    },
  };
  const policy = new BootstrapPolicy(gateway, assert.ifError);
  await policy.reconcile(true);
  assert.ok(made.size > 100 && made.size < wanted.length);
  namespacesExist = true;
  await policy.reconcile(false);
  assert.equal(made.size, wanted.length);
  const before = requests;
  await policy.reconcile(false);
  assert.equal(requests, before);
});
