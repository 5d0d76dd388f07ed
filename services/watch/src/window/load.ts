import { corruptObject, Item, itemParts, type WindowMemory } from '@tidegate/collection';
import type { StoreClient } from '../clients/store-client.ts';
import { Collections, type Loaded } from './collections.ts';

/**
 * Reads the whole system as it was at the oldest revision that the log still explains, so that the changes since
 * then, played on top, fill the window: a restart loses no history.
 */
export async function loadCollections(
  store: StoreClient,
  windows: WindowMemory,
): Promise<{ collections: Collections; head: number; epoch: number }> {
  const { floor, revision, epoch } = await store.head();
  const objects = new Map<string, Loaded>();
  let base = floor;
  for await (const page of store.list({ revision: floor })) {
    base = page.revision;
    for (const object of page.objects) {
      const { resource } = object.key;
      let loaded = objects.get(resource);
      if (loaded === undefined) {
        loaded = { items: [], corrupt: [] };
        objects.set(resource, loaded);
      }
      if (object.corrupt === '') loaded.items.push(new Item(itemParts(object)));
      else loaded.corrupt.push(corruptObject(object));
    }
  }
  return { collections: new Collections(base, objects, windows), head: revision, epoch };
}
