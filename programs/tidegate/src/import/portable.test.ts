import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portable } from './portable.ts';

test('Fields that the server sets and the status are removed; the rest is unchanged.', () => {
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'team',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 3,
      managedFields: [{}],
      selfLink: '/x',
      labels: { app: 'web' },
      annotations: { note: 'kept' },
      finalizers: ['example.com/hold'],
    },
    spec: { replicas: 2 },
    status: { replicas: 1 },
  };
  const before = structuredClone(object);
  assert.deepEqual(portable(object, new Map()), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'team',
      labels: { app: 'web' },
      annotations: { note: 'kept' },
      finalizers: ['example.com/hold'],
    },
    spec: { replicas: 2 },
  });
  assert.deepEqual(object, before);
});

test('Owners get their new uids, and an owner without one is left out.', () => {
  const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, controller: true });
  const object = { metadata: { name: 'x', ownerReferences: [owner('a'), owner('b')] } };
  assert.deepEqual(portable(object, new Map([['b', 'new']])).metadata, {
    name: 'x',
    ownerReferences: [{ ...owner('b'), uid: 'new' }],
  });
  assert.deepEqual(portable(object, new Map()).metadata, { name: 'x' });
});

test('A Service gets an address of the target cluster; a headless Service stays headless.', () => {
  const service = (spec: object) =>
    portable({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec }, new Map()).spec;
  const ports = [{ port: 80, nodePort: 30080 }];
  const given = {
    clusterIP: '10.96.0.7',
    clusterIPs: ['10.96.0.7'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports,
  };
  assert.deepEqual(service(given), { ipFamilyPolicy: 'SingleStack', ports });
  const headless = { clusterIP: 'None', clusterIPs: ['None'], ports };
  assert.deepEqual(service(headless), headless);
});
