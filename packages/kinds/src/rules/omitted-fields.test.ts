import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '@tidegate/status';
import { builtInRegistry, setDefaults } from '../index.ts';

const LABELLED = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };

/** An object that lacks a required field, and the field. */
const OMITTED: ReadonlyArray<readonly [group: string, resource: string, object: object, field: string]> = [
  ['apps', 'deployments', { spec: { template: LABELLED } }, 'spec.selector'],
  ['apps', 'statefulsets', { spec: {} }, 'spec.selector'],
  ['', 'services', { spec: { ports: [{ name: 'web' }] } }, 'spec.ports[0].port'],
  ['rbac.authorization.k8s.io', 'rolebindings', {}, 'roleRef.kind'],
  ['rbac.authorization.k8s.io', 'rolebindings', {}, 'roleRef.name'],
  ['rbac.authorization.k8s.io', 'clusterrolebindings', {}, 'roleRef.kind'],
  ['', 'endpoints', { subsets: [{ addresses: [{}], ports: [{}] }] }, 'subsets[0].addresses[0].ip'],
  ['', 'endpoints', { subsets: [{ addresses: [{}], ports: [{}] }] }, 'subsets[0].ports[0].port'],
  ['node.k8s.io', 'runtimeclasses', {}, 'handler'],
  ['', 'limitranges', { spec: { limits: [{}] } }, 'spec.limits[0].type'],
  ['flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations', { spec: {} }, 'spec.type'],
];

for (const [group, resource, given, field] of OMITTED) {
  test(`${resource} without ${field} is rejected as missing a required value`, () => {
    const kind = builtInRegistry().find(group, 'v1', resource);
    assert.ok(kind);
    const { entry } = kind;
    const object = structuredClone({ metadata: { name: 'a' }, ...given }) as never;
    setDefaults(kind, object);
    const errors = entry.validate?.(object) ?? [];
    assert.deepEqual(
      errors.filter((error) => error.field === field).map(({ type, message }) => [type, message]),
      [['FieldValueRequired', 'Required value']],
    );
    assert.equal(invalid({ group, kind: entry.kind, name: 'a' }, errors).code, 400);
  });
}

test('A present invalid value is still reported as invalid.', () => {
  const kind = builtInRegistry().find('', 'v1', 'services');
  assert.ok(kind);
  const object = { metadata: { name: 'a' }, spec: { ports: [{ port: 70000, targetPort: 80 }] } } as never;
  setDefaults(kind, object);
  const errors = kind.entry.validate?.(object) ?? [];
  const ofPort = errors.filter(({ field }) => field === 'spec.ports[0].port');
  assert.deepEqual(
    ofPort.map(({ type }) => type),
    ['FieldValueInvalid'],
  );
  assert.equal(invalid({ group: '', kind: 'Service', name: 'a' }, errors).code, 422);
});
