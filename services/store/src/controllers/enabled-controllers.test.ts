import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enabledControllers } from './enabled-controllers.ts';

test('A star enables all controllers, and a name with a minus disables one.', () => {
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

test('Without a star only the named controllers are enabled.', () => {
  assert.deepEqual([...enabledControllers(['namespace-controller'])], ['namespace-controller']);
  assert.deepEqual([...enabledControllers([])], []);
});

test('An unknown name is rejected, and the error lists the known names.', () => {
  assert.throws(
    () => enabledControllers(['*', '-serviceacount-controller']),
    /unknown controller -serviceacount-controller; use \*, or clusterrole-aggregation-controller, .*namespace-controller/,
  );
});

test('The older names of kube-controller-manager mean the same controllers.', () => {
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
  assert.throws(() => enabledControllers(['-constructor']), /unknown controller -constructor/);
});
