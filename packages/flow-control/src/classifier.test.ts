import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Classifier, distinguisherOf, type FlowObject } from './classifier.ts';
import type { FlowOperation } from './flow-schema.ts';

const userOf = (name: string, ...groups: string[]) => ({ name, groups: [...groups, 'system:authenticated'] });
const operation = (verb: string, over: Partial<FlowOperation> = {}): FlowOperation => ({
  isResource: true,
  verb,
  path: '/',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'demo',
  ...over,
});
const at = (path: string, verb = 'get') => operation(verb, { isResource: false, path, resource: '', namespace: '' });
const leases = (verb: string) => operation(verb, { group: 'coordination.k8s.io', resource: 'leases' });
const account = userOf('system:serviceaccount:demo:app', 'system:serviceaccounts', 'system:serviceaccounts:demo');
const ofSystem = userOf('system:serviceaccount:kube-system:job-controller', 'system:serviceaccounts');
const node = userOf('system:node:n1', 'system:nodes');

test('a request gets the schema that kube-apiserver finds among the bootstrap schemas', () => {
  const classifier = Classifier.ofDefaults();
  const classified = (user: { name: string; groups: readonly string[] }, what: FlowOperation) => {
    const schema = classifier.schemaOf(user, what);
    return `${schema.name} ${schema.level.name} ${distinguisherOf(schema, user, what)}`;
  };
  assert.equal(classified(userOf('admin', 'system:masters'), operation('list')), 'exempt exempt ');
  assert.equal(classified(userOf('ann'), operation('get')), 'global-default global-default ann');
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  assert.equal(classified(anonymous, at('/readyz')), 'probes exempt ');
  assert.equal(classified(anonymous, at('/readyz/ping')), 'probes exempt ');
  assert.equal(classified(anonymous, at('/readyz', 'post')), 'global-default global-default system:anonymous');
  assert.equal(classified(anonymous, at('/readyzz')), 'global-default global-default system:anonymous');
  assert.equal(classified(account, operation('get')), `service-accounts workload-low ${account.name}`);
  assert.equal(classified(ofSystem, leases('update')), `system-leader-election leader-election ${ofSystem.name}`);
  assert.equal(classified(ofSystem, leases('list')), 'kube-system-service-accounts workload-high demo');
  assert.equal(
    classified(node, operation('update', { resource: 'nodes', subresource: 'status', namespace: '' })),
    'system-node-high node-high system:node:n1',
  );
  assert.equal(classified(node, leases('update')), 'system-node-high node-high system:node:n1');
  assert.equal(classified(node, operation('get')), 'system-nodes system system:node:n1');
  assert.equal(classified({ name: 'ghost', groups: [] }, operation('get')), 'catch-all catch-all ghost');
});

test('the schema with the lowest precedence wins, then by name; a schema whose level is missing is skipped', () => {
  const schema = (name: string, matchingPrecedence: number, level: string): FlowObject => ({
    kind: 'FlowSchema',
    name,
    uid: `uid-${name}`,
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: '*' } }],
          resourceRules: [
            { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: false, namespaces: ['demo'] },
          ],
        },
      ],
    },
  });
  const found = (...objects: FlowObject[]) => new Classifier(objects).schemaOf(userOf('ann'), operation('get')).name;
  assert.equal(found(schema('b', 5, 'exempt'), schema('a', 5, 'exempt'), schema('c', 9, 'exempt')), 'a');
  assert.equal(found(schema('a', 5, 'gone'), schema('c', 9, 'exempt')), 'c');
  assert.equal(found(), 'catch-all');
  const clusterWide = operation('list', { namespace: '' });
  assert.equal(new Classifier([schema('a', 5, 'exempt')]).schemaOf(userOf('ann'), clusterWide).name, 'catch-all');
});
