import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(plural: string, versions: readonly object[]): object {
  const names = { plural, singular: plural.slice(0, -1), kind: plural.toUpperCase() };
  return {
    metadata: { name: `${plural}.large.example.com` },
    spec: { group: 'large.example.com', scope: 'Cluster', names, versions },
  };
}

function versions(count: number, openAPIV3Schema: object): object[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `v${i + 1}`,
    served: true,
    storage: i === 0,
    schema: { openAPIV3Schema },
  }));
}

describe('Large definitions', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
  });
  after(() => system?.stop());

  const create = (body: object) => client.request('POST', DEFINITIONS, { body });

  test('A definition above the limits is rejected with its field, without delaying other requests.', async () => {
    const rules = Array.from({ length: 10_000 }, () => ({ rule: 'true' }));
    for (const [body, field] of [
      [definition('manys', versions(10_000, { type: 'object' })), 'spec.versions'],
      [
        definition('ruleds', versions(1, { type: 'object', 'x-kubernetes-validations': rules })),
        'spec.versions[0].schema.openAPIV3Schema',
      ],
    ] as const) {
      const { code, json } = await create(body);
      assert.deepEqual([code, json.reason, json.details.causes[0].field], [422, 'Invalid', field]);
    }
  });

  test('A kind with a hundred versions is served in each version, with discovery and OpenAPI.', async () => {
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } };
    assert.equal((await create(definition('apples', versions(100, schema)))).code, 201);
    const path = '/apis/large.example.com/v100/apples';
    await until('the kind to be served', async () => (await client.get(path)).code === 200);
    const made = await client.request('POST', path, { body: { metadata: { name: 'a' }, spec: { a: 'b' } } });
    assert.equal(made.code, 201, made.text);
    assert.equal((await client.get('/apis/large.example.com')).json.versions.length, 100);
    assert.equal((await client.get('/openapi/v3/apis/large.example.com/v57')).code, 200);
    const index = Object.keys((await client.get('/openapi/v3')).json.paths);
    assert.equal(index.filter((one) => one.startsWith('apis/large.example.com/')).length, 100);
  });
});
