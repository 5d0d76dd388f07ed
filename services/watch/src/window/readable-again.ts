import type { Key } from '@tidegate/wire';
import type { StoreClient } from '../clients/store-client.ts';

/** Whether at least one of these objects can be read again. */
export async function someReadable(store: StoreClient, keys: readonly Key[]): Promise<boolean> {
  for (const [place, names] of byNamespace(keys)) {
    const { resource, namespace } = place;
    for await (const page of store.list({ resource, namespace })) {
      const found = page.objects.filter((object) => object.key.namespace === namespace && names.has(object.key.name));
      if (found.some((object) => object.corrupt === '')) return true;
    }
  }
  return false;
}

function byNamespace(keys: readonly Key[]): Map<{ resource: string; namespace: string }, Set<string>> {
  const groups = Map.groupBy(keys, ({ resource, namespace }) => `${resource}/${namespace}`);
  return new Map([...groups.values()].map((group) => [group[0] as Key, new Set(group.map((key) => key.name))]));
}
