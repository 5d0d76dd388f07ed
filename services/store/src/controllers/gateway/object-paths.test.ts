import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, kindsOf, readDefinition } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { ObjectPaths } from './object-paths.ts';

const RESOURCE = 'parts.example.com';

/** The paths of a kind with two versions; the second is the stored one. */
function served(spec: JsonObject, generation = 1): ObjectPaths {
  const registry = builtInRegistry();
  const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
  if (scale === undefined) throw new Error('deployments have a scale');
  const names = { plural: 'parts', kind: 'Part' };
  const versions = ['v2', 'v1'].map((name) => ({ name, served: true, storage: name === 'v1' }));
  const definition = readDefinition({
    metadata: { name: RESOURCE, generation },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions, ...spec },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  });
  registry.setCustom(kindsOf(definition, scale));
  return new ObjectPaths(registry);
}

const pathIn = (paths: ObjectPaths) => paths.of({ resource: RESOURCE, namespace: 'n', name: 'a' });
const webhook = { clientConfig: { url: 'https://a.b/c' }, conversionReviewVersions: ['v1'] };

test('A custom object has the path of its stored version, with and without a conversion webhook.', () => {
  const expected = '/apis/example.com/v1/namespaces/n/parts/a';
  assert.equal(pathIn(served({})), expected);
  assert.equal(pathIn(served({ conversion: { strategy: 'Webhook', webhook } })), expected);
});

test('A custom object still has a path after its definition was changed.', () => {
  assert.equal(pathIn(served({}, 2)), '/apis/example.com/v1/namespaces/n/parts/a');
});

test('Where the stored version is not served, the path is that of a served version.', () => {
  const versions = [
    { name: 'v2', served: true, storage: false },
    { name: 'v1', served: false, storage: true },
  ];
  assert.equal(pathIn(served({ versions })), '/apis/example.com/v2/namespaces/n/parts/a');
});
