import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatureGates } from '@tidegate/feature-gates';
import { builtInRegistry, kindsOf, readDefinition } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Negotiator } from '../codec/negotiate.ts';
import { Discovery } from './discovery.ts';

test('OpenAPI v3 documents are rebuilt only when the kinds of their group version change', async () => {
  const one = builtInRegistry();
  const gates = readFeatureGates('');
  const documents = new Discovery(one, { gates, negotiator: new Negotiator(gates) });
  const at = (path: string) => documents.document(path, undefined);
  const [apps, batch, index] = [
    await at('/openapi/v3/apis/apps/v1'),
    await at('/openapi/v3/apis/batch/v1'),
    await at('/openapi/v3'),
  ];
  const scale = one.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
  assert.ok(scale !== undefined);
  const definition = establishedDefinition('things.batch', 'batch');
  one.setCustom(kindsOf(readDefinition(definition), scale));
  assert.equal(await at('/openapi/v3/apis/apps/v1'), apps);
  assert.notEqual((await at('/openapi/v3/apis/batch/v1'))?.hash, batch?.hash);
  const changed = await at('/openapi/v3');
  assert.notEqual(changed?.hash, index?.hash);
  one.setCustom([]);
  assert.equal((await at('/openapi/v3'))?.hash, index?.hash);
  assert.equal((await at('/openapi/v3/apis/batch/v1'))?.hash, batch?.hash);
});

test('requests for missing documents leave no memory behind', async () => {
  const gates = readFeatureGates('');
  const documents = new Discovery(builtInRegistry(), { gates, negotiator: new Negotiator(gates) });
  for (let i = 0; i < 1000; i++) {
    for (const path of [`/apis/made-up-${i}`, `/apis/apps/v${i + 2}`, `/openapi/v3/apis/made-up-${i}/v1`]) {
      assert.equal(await documents.document(path, undefined), undefined);
    }
  }
  assert.equal(documents.held, 0);
});

function establishedDefinition(name: string, group: string): JsonObject {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    metadata: { name },
    spec: { group, scope: 'Cluster', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }] },
  };
}
