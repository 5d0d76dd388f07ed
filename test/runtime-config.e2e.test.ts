import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const GROUP = '/apis/coordination.k8s.io';
const VERSION = 'v1beta1';
const NAMESPACE = 'candidates';
const CANDIDATES = `${GROUP}/${VERSION}/namespaces/${NAMESPACE}/leasecandidates`;
const SPEC = { leaseName: 'leader', binaryVersion: '1.35.0', strategy: 'example.com/mine' };

describe('API versions that are off by default', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await runningSystem({ args: [`--runtime-config=coordination.k8s.io/${VERSION}=true`] });
    client = system.client;
    const body = { metadata: { name: NAMESPACE } };
    assert.equal((await client.request('POST', '/api/v1/namespaces', { body })).code, 201);
  });
  after(() => system?.stop());

  test('An enabled version has an APIService, and is in OpenAPI.', async () => {
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${VERSION}.coordination.k8s.io`;
    await until('the APIService', async () => (await client.get(path)).code === 200);
    assert.match((await client.get(`/openapi/v3${GROUP}/${VERSION}`)).text, /LeaseCandidateSpec/);
  });

  test('Its objects are removed with their namespace.', async () => {
    const candidate = { metadata: { name: 'a' }, spec: SPEC };
    assert.equal((await client.request('POST', CANDIDATES, { body: candidate })).code, 201);
    assert.equal((await client.request('DELETE', `/api/v1/namespaces/${NAMESPACE}`)).code, 200);
    await until('the namespace to be removed', async () => {
      return (await client.get(`/api/v1/namespaces/${NAMESPACE}`)).code === 404;
    });
    assert.deepEqual((await client.get(`${GROUP}/${VERSION}/leasecandidates`)).json.items, []);
  });
});
