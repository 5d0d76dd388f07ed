import { test } from 'node:test';
import { builtInRegistry } from '@tidegate/kinds';
import { allCollections, VARIANTS } from '@tidegate/kinds/testing';
import { assertLinear, pairsOf } from '../testing/growth.ts';

const registry = builtInRegistry();
const collections = allCollections(registry);

for (const variant of VARIANTS) {
  test(`twice as many ${variant} items in any list or map of a built-in kind cost twice as much to write`, () => {
    for (const one of collections) assertLinear({ registry, collections: [one], variant, bytes: 600_000 });
  });
}

test('twice as many items in any two lists or maps of one object cost twice as much to write', () => {
  for (const pair of pairsOf(collections)) {
    const measured = { registry, collections: pair, variant: 'different', bytes: 600_000 } as const;
    assertLinear(measured, ['create', 'update']);
  }
});
