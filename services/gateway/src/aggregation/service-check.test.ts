import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection } from '@tidegate/collection';
import type { FindCollection } from '../callouts/service-targets.ts';
import { checkService } from './service-check.ts';

const SERVICE = { namespace: 'a', name: 'fruit', port: 443, caBundle: '', insecure: false };
const NAME = { 'kubernetes.io/service-name': 'fruit' };

/** Collections of one object each, or none. */
function having(objects: Readonly<Record<string, object>>): FindCollection {
  return async (resource) => {
    const object = objects[resource];
    const item = object && { json: Buffer.from(JSON.stringify(object)), labels: NAME };
    const runs = () => (item === undefined ? [] : [{ items: [item], from: 0, to: 1 }]);
    return { get: () => item, snapshot: () => ({ runs }) } as unknown as Collection;
  };
}

const SLICES = 'endpointslices.discovery.k8s.io';
const services = { spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443 }] } };
const slice = (ready?: boolean, name = 'https') => ({
  endpoints: [{ addresses: ['10.0.0.1'], conditions: ready === undefined ? {} : { ready } }],
  ports: [{ name, port: 6443 }],
});
const reason = async (objects: Readonly<Record<string, object>>) =>
  (await checkService(SERVICE, having(objects)))?.reason;

test('a Service must exist, have the port, and have ready endpoints with it', async () => {
  assert.equal(await reason({}), 'ServiceNotFound');
  assert.equal(await reason({ services: { spec: { ports: [{ port: 80 }] } } }), 'ServicePortError');
  assert.equal(await reason({ services }), 'EndpointsNotFound');
  assert.equal(await reason({ services, [SLICES]: slice(false) }), 'MissingEndpoints');
  assert.equal(await reason({ services, [SLICES]: slice(true, 'http') }), 'MissingEndpoints');
  assert.equal(await reason({ services, [SLICES]: slice(true) }), undefined);
});

test('an endpoint without a ready condition is ready', async () => {
  assert.equal(await reason({ services, [SLICES]: slice() }), undefined);
});

test('Endpoints are used where there are no slices', async () => {
  const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'https', port: 6443 }] }];
  assert.equal(await reason({ services, endpoints: { subsets } }), undefined);
  assert.equal(await reason({ services, endpoints: { subsets: [] } }), 'MissingEndpoints');
});

test('an ExternalName Service needs no endpoints', async () => {
  assert.equal(await reason({ services: { spec: { type: 'ExternalName', externalName: 'x' } } }), undefined);
});
