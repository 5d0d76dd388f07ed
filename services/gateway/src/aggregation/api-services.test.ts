import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Mirrors } from '../mirror/mirrors.ts';
import { ApiServices } from './api-services.ts';
import type { RemoteTargets } from './remote-targets.ts';

interface Registered {
  readonly name: string;
  readonly json: Buffer;
  readonly revision: number;
}

function registered(group: string, version: string, { revision = 1, remote = true } = {}): Registered {
  const name = `${version}.${group}`;
  const service = remote ? { service: { namespace: 'a', name: 'fruit' } } : {};
  const spec = { group, version, groupPriorityMinimum: 7, versionPriority: 8, ...service };
  return { name, revision, json: Buffer.from(JSON.stringify({ metadata: { name }, spec })) };
}

/** The APIServices as a mirror has them, which may change. */
function mirrored(...first: readonly Registered[]) {
  const followers = new Map<string, () => void>();
  let items: readonly Registered[] = first;
  const collection = { snapshot: () => ({ runs: () => [{ items, from: 0, to: items.length }] }) };
  const mirrors = {
    keep: () => {},
    follow: (resource: string, changed: () => void) => followers.set(resource, changed),
    peek: (resource: string) => (resource.startsWith('apiservices.') ? collection : undefined),
  } as unknown as Mirrors;
  const apiServices = new ApiServices({
    mirrors,
    localNames: ['v1.'],
    targets: { isConfigured: () => true, backend: () => new Promise(() => {}) } as unknown as RemoteTargets,
    find: () => Promise.reject(new Error('nothing is mirrored')),
    write: async () => {},
    warn: () => {},
    report: () => {},
  });
  apiServices.start();
  after(() => apiServices.stop());
  const become = (...next: readonly Registered[]) => {
    items = next;
    followers.get('apiservices.apiregistration.k8s.io')?.();
  };
  become(...first);
  return { apiServices, become };
}

test('paths of a remote group version are served remotely, however they are encoded', () => {
  const { apiServices } = mirrored(registered('fruit.io', 'v1'));
  for (const path of [
    '/apis/fruit.io/v1',
    '/apis/fruit.io/v1/',
    '/apis/fruit.io/v1/apples?a=/b',
    '/apis/fruit%2Eio/v1/x',
  ]) {
    assert.equal(apiServices.at(path)?.groupVersion, 'fruit.io/v1', path);
  }
  for (const path of [
    '/apis/fruit.io',
    '/apis/fruit.io/v2/apples',
    '/api/v1/pods',
    '/apis/apps/v1',
    '/apis?/fruit.io/v1',
  ])
    assert.equal(apiServices.at(path), undefined, path);
});

test('APIServices without a Service, the core group and registrations are served here', () => {
  const { apiServices } = mirrored(
    registered('apps', 'v1', { remote: false }),
    registered('', 'v1'),
    registered('apiregistration.k8s.io', 'v1'),
  );
  for (const path of ['/apis/apps/v1/deployments', '/api/v1/pods', '/apis//v1', '/apis/apiregistration.k8s.io/v1'])
    assert.equal(apiServices.at(path), undefined, path);
  assert.deepEqual(apiServices.priority('apps', 'v1'), { group: 7, version: 8 });
});

test('a remote group version survives changes of its object, and ends with its deletion', () => {
  const { apiServices, become } = mirrored(registered('fruit.io', 'v1'));
  const remote = apiServices.at('/apis/fruit.io/v1');
  const { revision } = apiServices;
  become(registered('fruit.io', 'v1', { revision: 2 }));
  assert.equal(apiServices.at('/apis/fruit.io/v1'), remote);
  assert.equal(apiServices.revision, revision);
  become();
  assert.equal(apiServices.at('/apis/fruit.io/v1'), undefined);
  assert.deepEqual([...apiServices.versions], []);
  assert.notEqual(apiServices.revision, revision);
});
