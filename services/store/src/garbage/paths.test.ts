import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, kindsOf, readDefinition } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { Paths } from './paths.ts';

const RESOURCE = 'parts.example.com';

/** What is served of a kind of two versions, the second of which is stored. */
function served(spec: JsonObject, generation = 1): Paths {
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
  return new Paths(registry);
}

const pathIn = (paths: Paths) => paths.of({ resource: RESOURCE, namespace: 'n', name: 'a' });
const webhook = { clientConfig: { url: 'https://a.b/c' }, conversionReviewVersions: ['v1'] };

test('The path of a custom object is that of the version that is stored, whoever converts it.', () => {
  const expected = '/apis/example.com/v1/namespaces/n/parts/a';
  assert.equal(pathIn(served({})), expected);
  assert.equal(pathIn(served({ conversion: { strategy: 'Webhook', webhook } })), expected);
});

test('A custom object has a path after its definition was changed, too.', () => {
  assert.equal(pathIn(served({}, 2)), '/apis/example.com/v1/namespaces/n/parts/a');
});

test('Where the stored version is not served, another one leads there.', () => {
  const versions = [
    { name: 'v2', served: true, storage: false },
    { name: 'v1', served: false, storage: true },
  ];
  assert.equal(pathIn(served({ versions })), '/apis/example.com/v2/namespaces/n/parts/a');
});
