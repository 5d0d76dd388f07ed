import { type Collection, corruptObject } from '@tidegate/collection';
import { unreadable } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { keyOf } from './commit.ts';

/**
 * A state with an object that cannot be read is not told as if it were whole: 500, and what is in the way.
 *
 * Objects are known to be corrupt from the watch service, which could not read them, or because a read of this process
 * met them in the store while the mirror still has their last good state. The latter are looked at again: the stored
 * bytes decide.
 */
export async function refuseCorrupt(
  gateway: Gateway,
  request: ResourceRequest,
  collection: Collection,
  namespace: string,
): Promise<void> {
  const found = collection.corruptObjects(namespace);
  const suspects = gateway.mirrors.suspects(request.kind.storedAs, namespace);
  for (const { namespace: place, name } of suspects) {
    const key = keyOf(request.kind, place, name);
    const { object } = await gateway.store.read(key);
    if (object?.corrupt) found.push(corruptObject(object));
    else gateway.mirrors.clear(key);
  }
  if (found.length > 0) throw unreadable(request.kind.entry, found);
}
