import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { missingAmounts } from '../pods/usage.ts';
import { amountsText } from '../rules/amounts.ts';
import { countedNames, usageOf } from './quotas.ts';

const container = (name: string, requests: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests },
  ...more,
});

test('a pod needs the most that runs at one time, with its sidecars and its overhead', () => {
  const spec = {
    initContainers: [
      container('first', { cpu: '1' }),
      container('stays', { cpu: '200m' }, { restartPolicy: 'Always' }),
      container('last', { cpu: '900m' }),
    ],
    containers: [container('a', { cpu: '300m' }), container('b', { cpu: '300m', memory: '1Gi' })],
    overhead: { cpu: '50m', memory: '10Mi' },
  };
  const usage = usageOf('pods', { metadata: {}, spec });
  // the last init container runs beside the sidecar: 900m + 200m
  assert.equal(
    amountsText(usage),
    'count/pods=1,cpu=1150m,memory=1034Mi,pods=1,requests.cpu=1150m,requests.memory=1034Mi',
  );
});

test('a pod that has ended counts as an object only', () => {
  const spec = { containers: [container('a', { cpu: '1' })] };
  const ended = { metadata: {}, spec, status: { phase: 'Failed' } };
  assert.equal(amountsText(usageOf('pods', ended)), 'count/pods=1');
  const past = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  assert.equal(amountsText(usageOf('pods', { metadata: past, spec })), 'count/pods=1');
});

test('a claim counts in whole bytes, and for its class', () => {
  const spec = { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } };
  const gold = 'gold.storageclass.storage.k8s.io/';
  assert.equal(
    amountsText(usageOf('persistentvolumeclaims', { metadata: {}, spec })),
    [
      'count/persistentvolumeclaims=1',
      `${gold}persistentvolumeclaims=1`,
      `${gold}requests.storage=2`,
      'persistentvolumeclaims=1',
      'requests.storage=2',
    ].join(','),
  );
});

test('a quota counts a kind by its count, by its own names, and by requests of pods', () => {
  const names = ['count/pods', 'pods', 'requests.cpu', 'requests.example.com/gpu', 'hugepages-2Mi', 'requests.storage'];
  assert.deepEqual(countedNames('pods', names), names.slice(0, -1));
  assert.deepEqual(countedNames('persistentvolumeclaims', names), ['requests.storage']);
  assert.deepEqual(countedNames('deployments.apps', ['count/deployments.apps', 'pods']), ['count/deployments.apps']);
});

test('containers must set the amounts that a quota counts, unless the pod sets them', () => {
  const spec: JsonObject = { containers: [container('b', { cpu: '1' }), container('a', {})] };
  const pod = { metadata: {}, spec };
  assert.equal(
    missingAmounts(pod, ['requests.cpu', 'limits.memory', 'pods']),
    'limits.memory for: a,b; requests.cpu for: a',
  );
  const whole = { metadata: {}, spec: { ...spec, resources: { limits: { cpu: '2' } } } };
  assert.equal(missingAmounts(whole, ['requests.cpu']), undefined);
});
