import { type CorruptObject, corruptObject, itemParts, SegmentBuilder, type WindowMemory } from '@tidegate/collection';
import type { StoreClient } from '../clients/store-client.ts';
import { Collections } from './collections.ts';

/**
 * Reads all objects at the oldest revision whose later changes are still in the log. The feed then applies those changes,
 * which fills the window, so that a restart loses no history.
 */
export async function loadCollections(
  store: Pick<StoreClient, 'head' | 'list'>,
  windows: WindowMemory,
): Promise<{ collections: Collections; head: number; epoch: number }> {
  const { floor, revision, epoch } = await store.head();
  const resources = new Map<string, { state: SegmentBuilder; corrupt: CorruptObject[] }>();
  let base = floor;
  for await (const page of store.list({ revision: floor })) {
    base = page.revision;
    for (const object of page.objects) {
      const { resource } = object.key;
      let loaded = resources.get(resource);
      if (loaded === undefined) {
        loaded = { state: new SegmentBuilder(), corrupt: [] };
        resources.set(resource, loaded);
      }
      if (object.corrupt === '') loaded.state.add(itemParts(object));
      else loaded.corrupt.push(corruptObject(object));
    }
  }
  const all = [...resources].map(
    ([resource, { state, corrupt }]) => [resource, { segments: state.finish(), corrupt }] as const,
  );
  return { collections: new Collections(base, new Map(all), windows), head: revision, epoch };
}
