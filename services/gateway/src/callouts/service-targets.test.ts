import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection } from '@tidegate/collection';
import type { JsonObject } from '@tidegate/schema';
import { ServiceTargets, SLICES } from './service-targets.ts';

/** What is in the namespace `own`, by resource. */
interface Known {
  readonly service?: JsonObject;
  readonly slices?: readonly JsonObject[];
  readonly endpoints?: JsonObject;
}

function collectionOf(objects: readonly JsonObject[], labels: Readonly<Record<string, string>> = {}): Collection {
  const items = objects.map((object) => ({ json: Buffer.from(JSON.stringify(object)), labels }));
  return {
    get: (namespace: string, name: string) => (namespace === 'own' && name === 'front' ? items[0] : undefined),
    snapshot: () => ({ runs: () => [{ items, from: 0, to: items.length }] }),
  } as unknown as Collection;
}

function find(known: Known, port?: number) {
  const all: Readonly<Record<string, Collection>> = {
    services: collectionOf(known.service === undefined ? [] : [known.service]),
    endpoints: collectionOf(known.endpoints === undefined ? [] : [known.endpoints]),
    [SLICES]: collectionOf(known.slices ?? [], { 'kubernetes.io/service-name': 'front' }),
  };
  const targets = new ServiceTargets(async (resource) => all[resource] as Collection);
  return targets.find({ namespace: 'own', name: 'front', ...(port !== undefined && { port }) });
}

const service = (spec: JsonObject): JsonObject => ({ spec: { ports: [{ name: 'https', port: 443 }], ...spec } });

test('A Service is reached at one of the ready addresses of its slices.', async () => {
  const slices = [
    {
      ports: [
        { name: 'https', port: 8443 },
        { name: 'other', port: 1 },
      ],
      endpoints: [
        { addresses: ['10.1.0.1'], conditions: { ready: true } },
        { addresses: ['10.1.0.2'], conditions: { ready: false } },
      ],
    },
  ];
  assert.deepEqual(await find({ service: service({ selector: {} }), slices }), { host: '10.1.0.1', port: 8443 });
});

test('An endpoint without conditions is ready, and one of several is chosen at random.', async () => {
  const slices = [{ ports: [{ name: 'https', port: 8443 }], endpoints: [{ addresses: ['a'] }, { addresses: ['b'] }] }];
  const hosts = new Set<string>();
  // a fair coin that shows the same side fifty times is less likely than a broken machine
  for (let i = 0; i < 50; i++) hosts.add((await find({ service: service({}), slices })).host);
  assert.deepEqual([...hosts].sort(), ['a', 'b']);
});

test('Manually written Endpoints are used as well.', async () => {
  const endpoints = { subsets: [{ addresses: [{ ip: '10.2.0.1' }], ports: [{ name: 'https', port: 9443 }] }] };
  assert.deepEqual(await find({ service: service({}), endpoints }), { host: '10.2.0.1', port: 9443 });
});

test('Without endpoints a Service without a selector is reached at its cluster IP.', async () => {
  assert.deepEqual(await find({ service: service({ clusterIP: '10.0.0.7' }) }), { host: '10.0.0.7', port: 443 });
  for (const spec of [{ clusterIP: '10.0.0.7', selector: { app: 'front' } }, { clusterIP: 'None' }, {}]) {
    await assert.rejects(find({ service: service(spec) }), /no endpoints available for service "front"/);
  }
});

test('An ExternalName Service is reached at its host, at the requested port.', async () => {
  const outer = { spec: { type: 'ExternalName', externalName: 'hooks.example.com' } };
  assert.deepEqual(await find({ service: outer }, 8443), { host: 'hooks.example.com', port: 8443 });
});

test('A missing Service or port is reported with the name of the Service.', async () => {
  await assert.rejects(find({}), /service "front" not found/);
  await assert.rejects(find({ service: service({}) }, 80), /no service port 80 found for service "front"/);
});
