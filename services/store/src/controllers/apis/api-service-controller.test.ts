import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind, type Registry } from '@tidegate/kinds';
import type { GatewayAnswer } from '../port.ts';
import { ApiServiceController } from './api-service-controller.ts';

const LABEL = 'kube-aggregator.kubernetes.io/automanaged';
const LOCAL = { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] };

interface Stored {
  metadata: { name: string; uid: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
  status?: unknown;
}

/** Keeps the objects, and records the requests. */
class Gateway {
  readonly objects = new Map<string, Stored>();
  requests: string[] = [];

  async send(method: string, path: string, object?: unknown): Promise<GatewayAnswer> {
    const name = path.split('/')[5] ?? '';
    if (method === 'GET') return { code: 200, body: { items: [...this.objects.values()] } };
    const sent = object as Stored;
    this.requests.push(`${method} ${name || sent.metadata.name}`);
    if (method === 'DELETE') this.objects.delete(name);
    else this.put({ ...sent, metadata: { ...sent.metadata, uid: 'u' }, status: sent.status ?? LOCAL });
    return { code: method === 'POST' ? 201 : 200, body: {} };
  }

  async patch(path: string): Promise<GatewayAnswer> {
    this.requests.push(`PATCH ${path.split('/')[5]}`);
    return { code: 200, body: {} };
  }

  put(object: Stored): void {
    this.objects.set(object.metadata.name, object);
  }
}

function setUp(): { gateway: Gateway; served: Registry; apiServices: ApiServiceController } {
  const gateway = new Gateway();
  const served = builtInRegistry();
  return { gateway, served, apiServices: new ApiServiceController(gateway, served) };
}

function customKind(served: Registry): Kind {
  const deployments = served.find('apps', 'v1', 'deployments') as Kind;
  const entry = { ...deployments.entry, group: 'fruit.io', version: 'v1', custom: {} };
  return { ...deployments, entry, apiVersion: 'fruit.io/v1', storedAs: 'deployments.fruit.io' } as unknown as Kind;
}

const CHANGED = [{ resource: 'apiservices.apiregistration.k8s.io', namespace: '', name: 'any' }];

test('Every served group version is registered once, except that of registrations.', async () => {
  const { gateway, served, apiServices } = setUp();
  await apiServices.reconcile(undefined);
  const places = new Set(served.all().map(({ entry }) => `${entry.version}.${entry.group}`));
  places.delete('v1.apiregistration.k8s.io');
  assert.deepEqual(new Set(gateway.objects.keys()), places);
  assert.deepEqual(gateway.objects.get('v1.')?.spec, {
    version: 'v1',
    groupPriorityMinimum: 18_000,
    versionPriority: 1,
  });
  gateway.requests = [];
  await apiServices.reconcile(undefined);
  assert.deepEqual(gateway.requests, []);
});

test('APIServices of built-in kinds are restored at the start of a term, and left to users afterwards.', async () => {
  const { gateway, apiServices } = setUp();
  await apiServices.reconcile(undefined);
  const apps = gateway.objects.get('v1.apps') as Stored;
  gateway.put({ ...apps, spec: { ...apps.spec, versionPriority: 99 } });
  gateway.objects.delete('v1.batch');
  gateway.requests = [];
  await apiServices.reconcile(CHANGED);
  assert.deepEqual(gateway.requests, []);
  await apiServices.reconcile(undefined);
  assert.deepEqual(gateway.requests, ['PUT v1.apps', 'POST v1.batch']);
});

test('APIServices of custom kinds are created, restored and deleted with their kinds.', async () => {
  const { gateway, served, apiServices } = setUp();
  await apiServices.reconcile(undefined);
  gateway.requests = [];
  served.setCustom([customKind(served)]);
  await apiServices.reconcile([]);
  assert.deepEqual(gateway.objects.get('v1.fruit.io')?.metadata.labels, { [LABEL]: 'true' });
  const made = gateway.objects.get('v1.fruit.io') as Stored;
  gateway.put({ ...made, spec: { ...made.spec, groupPriorityMinimum: 5 } });
  await apiServices.reconcile(CHANGED);
  served.setCustom([]);
  await apiServices.reconcile([]);
  assert.deepEqual(gateway.requests, ['POST v1.fruit.io', 'PUT v1.fruit.io', 'DELETE v1.fruit.io']);
});

test('An APIService for another server is not changed.', async () => {
  const { gateway, served, apiServices } = setUp();
  const spec = { group: 'fruit.io', version: 'v1', service: { namespace: 'a', name: 'fruit' } };
  gateway.put({ metadata: { name: 'v1.fruit.io', uid: 'u' }, spec });
  served.setCustom([customKind(served)]);
  await apiServices.reconcile(undefined);
  assert.deepEqual(gateway.objects.get('v1.fruit.io')?.spec, spec);
});

test('An APIService that was handed back to this server becomes available.', async () => {
  const { gateway, apiServices } = setUp();
  const status = { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }] };
  gateway.put({ metadata: { name: 'v1.fruit.io', uid: 'u' }, spec: { group: 'fruit.io', version: 'v1' }, status });
  await apiServices.reconcile(undefined);
  assert.ok(gateway.requests.includes('PATCH v1.fruit.io'));
});
