import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualifiedName, type ServedResource } from './discover.ts';
import { planImport } from './plan.ts';

function served(text: string, namespaced = true): ServedResource {
  const [group = '', version = '', name = ''] = text.split('/');
  return { group, version, name, kind: name, namespaced };
}

const source = [
  served('/v1/configmaps'),
  served('/v1/events'),
  served('/v1/namespaces', false),
  served('/v1/nodes', false),
  served('apps/v2/deployments'),
  served('apps/v1/deployments'),
  served('apiextensions.k8s.io/v1/customresourcedefinitions', false),
  served('example.com/v1/widgets'),
];
const target = source.filter(({ name, version }) => name !== 'widgets' && version !== 'v2');
const all = { namespaces: [], resources: [] };
const named = (resources: readonly ServedResource[]) =>
  resources.map((resource) => `${qualifiedName(resource)}/${resource.version}`);

test('Namespaces come first, then definitions, and each resource in a version that both servers know.', () => {
  const plan = planImport(source, target, all);
  assert.deepEqual(named(plan.common), [
    'namespaces/v1',
    'customresourcedefinitions.apiextensions.k8s.io/v1',
    'configmaps/v1',
    'nodes/v1',
    'deployments.apps/v1',
  ]);
  assert.deepEqual(named(plan.foreign), ['widgets.example.com/v1']);
});

test('A selection by namespaces or resources contains only these, always after the namespaces.', () => {
  assert.deepEqual(named(planImport(source, target, { ...all, namespaces: ['team'] }).common), [
    'namespaces/v1',
    'configmaps/v1',
    'deployments.apps/v1',
  ]);
  const { common, unknown } = planImport(source, target, { ...all, resources: ['events', 'deployments.apps', 'pods'] });
  assert.deepEqual(named(common), ['namespaces/v1', 'events/v1', 'deployments.apps/v1']);
  assert.deepEqual(unknown, ['pods']);
});
