import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestAggregatedServer, until } from '@tidegate/testkit';
import { API_SERVICES, appleServer, GROUP, NAME, register, untilCondition } from './support/aggregation.ts';
import type { Client } from './support/client.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const APPLES = `${GROUP}/namespaces/default/apples`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe('APIServices of local groups', () => {
  let system: RunningSystem;
  let client: Client;
  let server: TestAggregatedServer;
  before(async () => {
    system = await sharedSystem(COMPLETE);
    ({ client } = system);
    server = await appleServer(client);
  });
  after(async () => {
    await server?.stop();
    await system?.stop();
  });
  const apiService = async (name: string) => (await client.get(`${API_SERVICES}/${name}`)).json;
  const pear = { apiVersion: 'pear.example.com/v1', kind: 'Pear', metadata: { name: 'old' } };
  const define = async (fruit = 'fruit', kind = 'Apple') => {
    const plural = `${kind.toLowerCase()}s`;
    const schema = { openAPIV3Schema: { type: 'object' } };
    const spec = {
      group: `${fruit}.example.com`,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    };
    const made = await client.request('POST', DEFINITIONS, {
      body: { metadata: { name: `${plural}.${fruit}.example.com` }, spec },
    });
    assert.equal(made.code, 201, made.text);
  };

  test('Built-in groups are registered as in kube-apiserver.', async () => {
    const { metadata, spec, status } = await apiService('v1.apps');
    assert.deepEqual(metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
    assert.deepEqual(spec, { group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 });
    const [{ lastTransitionTime, ...condition }] = status.conditions;
    assert.deepEqual(condition, {
      type: 'Available',
      status: 'True',
      reason: 'Local',
      message: 'Local APIServices are always available',
    });
  });

  test('The group of a custom kind is registered while the kind is defined, and a user can register another server instead.', async () => {
    await define();
    const made = await until('the registration', async () => {
      const found = await apiService(NAME);
      return found.kind === 'APIService' ? found : undefined;
    });
    assert.deepEqual(made.metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
    assert.deepEqual([made.spec.groupPriorityMinimum, made.spec.versionPriority], [1000, 100]);
    assert.equal((await client.get(APPLES)).json.kind, 'AppleList');
    assert.equal((await client.request('DELETE', `${DEFINITIONS}/apples.fruit.example.com`)).code, 200);
    await until('the registration to be removed', async () => (await apiService(NAME)).kind === 'Status');

    await register(client, server);
    await untilCondition(client, 'True', 'Passed');
    await define();
    assert.equal((await client.request('POST', APPLES, { body: { metadata: { name: 'theirs' } } })).code, 201);
    assert.ok(server.apples.get('default', 'theirs'));
    assert.equal((await apiService(NAME)).metadata.labels, undefined);
  });

  test('Local objects of a group that another server serves now are still deleted with their namespace.', async () => {
    const pears = '/apis/pear.example.com/v1/namespaces/old/pears';
    await define('pear', 'Pear');
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'old' } } });
    const registered = await until('the registration', async () => {
      const found = await apiService('v1.pear.example.com');
      return found.kind === 'APIService' ? found : undefined;
    });
    assert.equal((await client.request('POST', pears, { body: pear })).code, 201);
    const service = { namespace: 'default', name: 'none' };
    const body = {
      ...registered,
      metadata: { ...registered.metadata, labels: {} },
      spec: { ...registered.spec, service },
    };
    const put = await client.request('PUT', `${API_SERVICES}/v1.pear.example.com`, { body });
    assert.equal(put.code, 200, put.text);
    await until('both gateways to forward', async () => {
      const replies = Array.from({ length: 24 }, () => client.get(pears));
      return (await Promise.all(replies)).every(({ code }) => code === 503);
    });
    await client.request('DELETE', '/api/v1/namespaces/old');
    await until('all local objects to be deleted', async () => {
      const { conditions = [] } = (await client.get('/api/v1/namespaces/old')).json.status;
      const of = (type: string) => conditions.find((one: { type: string }) => one.type === type)?.status;
      return of('NamespaceDeletionDiscoveryFailure') === 'True' && of('NamespaceContentRemaining') === 'False';
    });
    await client.request('DELETE', `${API_SERVICES}/v1.pear.example.com`);
    await until('the namespace to be deleted', async () => (await client.get('/api/v1/namespaces/old')).code === 404);
  });

  test('Every gateway forwards requests to an aggregated server.', async () => {
    const codes = async () => {
      const replies = Array.from({ length: 24 }, () => client.get(`${APPLES}/theirs`));
      return [...new Set((await Promise.all(replies)).map(({ code }) => code))];
    };
    await until('both gateways to forward', async () => String(await codes()) === '200');
    await server.stop();
    await until('both gateways to answer 503', async () => String(await codes()) === '503');
    const { text } = await client.get('/metrics');
    assert.match(
      text,
      /^tidegate_gateway_aggregated_requests_total\{api_service="v1\.fruit\.example\.com",code="\d+"\} [1-9]/m,
    );
  });
});
