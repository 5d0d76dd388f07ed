import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind, type Registry } from '@tidegate/kinds';
import { ApiServices } from './api-services.ts';
import type { GatewayAnswer, GatewayClient } from './gateway-client.ts';

const LABEL = 'kube-aggregator.kubernetes.io/automanaged';
const LOCAL = { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] };

interface Stored {
  metadata: { name: string; uid: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
  status?: unknown;
}

/** What is stored, and what is asked of it. */
class Gateway {
  readonly objects = new Map<string, Stored>();
  asked: string[] = [];

  async send(method: string, path: string, object?: unknown): Promise<GatewayAnswer> {
    const name = path.split('/')[5] ?? '';
    if (method === 'GET') return { code: 200, body: { items: [...this.objects.values()] } };
    const sent = object as Stored;
    this.asked.push(`${method} ${name || sent.metadata.name}`);
    if (method === 'DELETE') this.objects.delete(name);
    else this.put({ ...sent, metadata: { ...sent.metadata, uid: 'u' }, status: sent.status ?? LOCAL });
    return { code: method === 'POST' ? 201 : 200, body: {} };
  }

  async patch(path: string): Promise<GatewayAnswer> {
    this.asked.push(`PATCH ${path.split('/')[5]}`);
    return { code: 200, body: {} };
  }

  put(object: Stored): void {
    this.objects.set(object.metadata.name, object);
  }
}

function place(): { gateway: Gateway; served: Registry; apiServices: ApiServices } {
  const gateway = new Gateway();
  const served = builtInRegistry();
  return { gateway, served, apiServices: new ApiServices(gateway as unknown as GatewayClient, served) };
}

function customKind(served: Registry): Kind {
  const deployments = served.find('apps', 'v1', 'deployments') as Kind;
  const entry = { ...deployments.entry, group: 'fruit.io', version: 'v1', custom: {} };
  return { ...deployments, entry, apiVersion: 'fruit.io/v1', storedAs: 'deployments.fruit.io' } as unknown as Kind;
}

const CHANGED = [{ resource: 'apiservices.apiregistration.k8s.io', namespace: '', name: 'any' }];

test('every group version that is served is registered once, but for that of registrations', async () => {
  const { gateway, served, apiServices } = place();
  await apiServices.round(undefined);
  const places = new Set(served.all().map(({ entry }) => `${entry.version}.${entry.group}`));
  places.delete('v1.apiregistration.k8s.io');
  assert.deepEqual(new Set(gateway.objects.keys()), places);
  assert.deepEqual(gateway.objects.get('v1.')?.spec, {
    version: 'v1',
    groupPriorityMinimum: 18_000,
    versionPriority: 1,
  });
  gateway.asked = [];
  await apiServices.round(undefined);
  assert.deepEqual(gateway.asked, []);
});

test('those of the own kinds are put right when this work begins, and left to users after that', async () => {
  const { gateway, apiServices } = place();
  await apiServices.round(undefined);
  const apps = gateway.objects.get('v1.apps') as Stored;
  gateway.put({ ...apps, spec: { ...apps.spec, versionPriority: 99 } });
  gateway.objects.delete('v1.batch');
  gateway.asked = [];
  await apiServices.round(CHANGED);
  assert.deepEqual(gateway.asked, []);
  await apiServices.round(undefined);
  assert.deepEqual(gateway.asked, ['PUT v1.apps', 'POST v1.batch']);
});

test('those of custom kinds come with them, are put right, and go with them', async () => {
  const { gateway, served, apiServices } = place();
  await apiServices.round(undefined);
  gateway.asked = [];
  served.setCustom([customKind(served)]);
  await apiServices.round([]);
  assert.deepEqual(gateway.objects.get('v1.fruit.io')?.metadata.labels, { [LABEL]: 'true' });
  const made = gateway.objects.get('v1.fruit.io') as Stored;
  gateway.put({ ...made, spec: { ...made.spec, groupPriorityMinimum: 5 } });
  await apiServices.round(CHANGED);
  served.setCustom([]);
  await apiServices.round([]);
  assert.deepEqual(gateway.asked, ['POST v1.fruit.io', 'PUT v1.fruit.io', 'DELETE v1.fruit.io']);
});

test('what somebody has registered for another server is left alone', async () => {
  const { gateway, served, apiServices } = place();
  const spec = { group: 'fruit.io', version: 'v1', service: { namespace: 'a', name: 'fruit' } };
  gateway.put({ metadata: { name: 'v1.fruit.io', uid: 'u' }, spec });
  served.setCustom([customKind(served)]);
  await apiServices.round(undefined);
  assert.deepEqual(gateway.objects.get('v1.fruit.io')?.spec, spec);
});

test('one that was handed back to this server is said to be available', async () => {
  const { gateway, apiServices } = place();
  const status = { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }] };
  gateway.put({ metadata: { name: 'v1.fruit.io', uid: 'u' }, spec: { group: 'fruit.io', version: 'v1' }, status });
  await apiServices.round(undefined);
  assert.ok(gateway.asked.includes('PATCH v1.fruit.io'));
});
