import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestAggregatedServer, until } from '@tidegate/testkit';
import { API_SERVICES, appleServer, GROUP, NAME, register, told } from './support/aggregation.ts';
import type { Client } from './support/client.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const APPLES = `${GROUP}/namespaces/default/apples`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe('What is served here', () => {
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
    const made = await client.ask('POST', DEFINITIONS, {
      body: { metadata: { name: `${plural}.${fruit}.example.com` }, spec },
    });
    assert.equal(made.code, 201, made.text);
  };

  test('is registered as kube-apiserver registers it', async () => {
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

  test('of custom kinds is registered while they are defined, and hands over to whom somebody registers instead', async () => {
    await define();
    const made = await until('it to be registered', async () => {
      const found = await apiService(NAME);
      return found.kind === 'APIService' ? found : undefined;
    });
    assert.deepEqual(made.metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
    assert.deepEqual([made.spec.groupPriorityMinimum, made.spec.versionPriority], [1000, 100]);
    assert.equal((await client.get(APPLES)).json.kind, 'AppleList');
    assert.equal((await client.ask('DELETE', `${DEFINITIONS}/apples.fruit.example.com`)).code, 200);
    await until('it not to be registered', async () => (await apiService(NAME)).kind === 'Status');

    await register(client, server);
    await told(client, 'True', 'Passed');
    await define();
    assert.equal((await client.ask('POST', APPLES, { body: { metadata: { name: 'theirs' } } })).code, 201);
    assert.ok(server.apples.get('default', 'theirs'));
    assert.equal((await apiService(NAME)).metadata.labels, undefined);
  });

  test('and was made before somebody else served its group is still deleted with its namespace', async () => {
    const pears = '/apis/pear.example.com/v1/namespaces/old/pears';
    await define('pear', 'Pear');
    await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'old' } } });
    const there = await until('it to be registered', async () => {
      const found = await apiService('v1.pear.example.com');
      return found.kind === 'APIService' ? found : undefined;
    });
    assert.equal((await client.ask('POST', pears, { body: pear })).code, 201);
    const service = { namespace: 'default', name: 'none' };
    const body = { ...there, metadata: { ...there.metadata, labels: {} }, spec: { ...there.spec, service } };
    const put = await client.ask('PUT', `${API_SERVICES}/v1.pear.example.com`, { body });
    assert.equal(put.code, 200, put.text);
    await until('both gateways to know', async () => {
      const asked = Array.from({ length: 24 }, () => client.get(pears));
      return (await Promise.all(asked)).every(({ code }) => code === 503);
    });
    await client.ask('DELETE', '/api/v1/namespaces/old');
    await until('all that is here to be gone', async () => {
      const { conditions = [] } = (await client.get('/api/v1/namespaces/old')).json.status;
      const of = (type: string) => conditions.find((one: { type: string }) => one.type === type)?.status;
      return of('NamespaceDeletionDiscoveryFailure') === 'True' && of('NamespaceContentRemaining') === 'False';
    });
    await client.ask('DELETE', `${API_SERVICES}/v1.pear.example.com`);
    await until('it to be gone', async () => (await client.get('/api/v1/namespaces/old')).code === 404);
  });

  test('elsewhere is served by every gateway', async () => {
    const codes = async () => {
      const asked = Array.from({ length: 24 }, () => client.get(`${APPLES}/theirs`));
      return [...new Set((await Promise.all(asked)).map(({ code }) => code))];
    };
    await until('both gateways to send it on', async () => String(await codes()) === '200');
    await server.stop();
    await until('both gateways to refuse it', async () => String(await codes()) === '503');
    const { text } = await client.get('/metrics');
    assert.match(
      text,
      /^tidegate_gateway_aggregated_requests_total\{api_service="v1\.fruit\.example\.com",code="\d+"\} [1-9]/m,
    );
  });
});
