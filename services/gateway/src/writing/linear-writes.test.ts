import { test } from 'node:test';
import { builtInRegistry } from '@tidegate/kinds';
import { allCollections, type Collection, type Variant } from '@tidegate/kinds/testing';
import { assertLinear } from '../testing/growth.ts';

const registry = builtInRegistry();
const collections = allCollections(registry);
const BYTES = 300_000;

/** Fields whose items were once compared with each other, in quadratic time. */
const COMPARED: ReadonlyArray<readonly [resource: string, variant: Variant, ...paths: string[]]> = [
  ['pods', 'equal', 'spec.volumes.configMap.items'],
  ['pods', 'different', 'spec.volumes.projected.sources'],
  ['pods', 'different', 'spec.topologySpreadConstraints'],
  ['pods', 'different', 'spec.tolerations'],
  ['pods', 'different', 'spec.containers.volumeMounts', 'spec.containers.volumeDevices'],
  ['pods', 'different', 'spec.containers.volumeDevices', 'spec.volumes'],
  ['pods', 'different', 'spec.containers.env', 'spec.volumes'],
  ['pods', 'different', 'spec.containers.resources.claims', 'spec.resourceClaims'],
  ['pods', 'different', 'spec.containers', 'spec.ephemeralContainers'],
  ['pods', 'different', 'spec.initContainers.ports'],
  ['pods', 'different', 'metadata.finalizers'],
  ['configmaps', 'refused', 'data'],
  ['storageclasses.storage.k8s.io', 'different', 'allowedTopologies'],
  ['csinodes.storage.k8s.io', 'different', 'spec.drivers'],
  ['resourcequotas', 'different', 'spec.scopes', 'spec.hard'],
  ['limitranges', 'different', 'spec.limits.max', 'spec.limits.min'],
  ['runtimeclasses.node.k8s.io', 'different', 'scheduling.tolerations'],
];

for (const [resource, variant, ...paths] of COMPARED) {
  test(`twice as many ${variant} ${paths.join(' and ')} of ${resource} cost twice as much to write`, () => {
    const [group, name] = [resource.split('.').slice(1).join('.'), resource.split('.')[0] ?? ''];
    const kind = registry.all().find(({ entry }) => entry.resource === name && entry.group === group);
    const wanted = paths.map((path) => ({ kind, path: path.split('.'), declared: path }) as Collection);
    assertLinear({ registry, collections: wanted, variant, bytes: BYTES }, ['create', 'update']);
  });
}

test('twice as many items in any list or map of a built-in kind cost twice as much to write: some of them', () => {
  const variants: readonly Variant[] = ['equal', 'different', 'refused', 'mistyped'];
  for (let i = 0; i < collections.length; i += 61) {
    const variant = variants[(i / 61) % variants.length] as Variant;
    assertLinear({ registry, collections: [collections[i] as Collection], variant, bytes: BYTES / 2 });
  }
});
