import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enabledControllers } from './controllers.ts';

test('a star is all controllers, and a name with a minus is taken out of them', () => {
  assert.equal(enabledControllers(['*']).size, 9);
  const rest = enabledControllers(['*', '-serviceaccount-controller']);
  assert.deepEqual(
    [...rest],
    [
      'clusterrole-aggregation-controller',
      'garbage-collector-controller',
      'namespace-controller',
      'persistentvolume-protection-controller',
      'persistentvolumeclaim-protection-controller',
      'resourcequota-controller',
      'root-ca-certificate-publisher-controller',
      'volumeattributesclass-protection-controller',
    ],
  );
  assert.deepEqual([...enabledControllers(['-serviceaccount-controller', '*'])], [...rest]);
});

test('without a star only those run that are named', () => {
  assert.deepEqual([...enabledControllers(['namespace-controller'])], ['namespace-controller']);
  assert.deepEqual([...enabledControllers([])], []);
});

test('a name that nobody has is refused, with those that there are', () => {
  assert.throws(
    () => enabledControllers(['*', '-serviceacount-controller']),
    /knows clusterrole-aggregation-controller, garbage-collector-controller, namespace-controller, .*, not -serviceacount/,
  );
});

test('the older names of kube-controller-manager mean the same', () => {
  const aliases = [
    'clusterrole-aggregation',
    'garbagecollector',
    'namespace',
    'pv-protection',
    'pvc-protection',
    'resourcequota',
    'root-ca-cert-publisher',
    'serviceaccount',
  ];
  const named = [...aliases, 'volumeattributesclass-protection-controller'];
  assert.deepEqual(enabledControllers(named), enabledControllers(['*']));
  assert.equal(enabledControllers(['*', '-garbage-collector']).has('garbage-collector-controller'), false);
  assert.throws(() => enabledControllers(['-constructor']), /not -constructor/);
});
