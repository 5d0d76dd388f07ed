import { itemOf, itemParts } from '@tidegate/collection';
import { isConverted, type Kind, storageOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { notFound, unreadable } from '@tidegate/status';
import type { Key, StoredObject } from '@tidegate/wire';
import { parseStored, withResourceVersion } from '../codec/stored-form.ts';
import { isOf } from '../conversion/conversions.ts';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

/** An object as it is, or was a moment ago. */
export interface Current {
  readonly revision: number;
  readonly uid: string;
  /** stored bytes, without the resourceVersion */
  readonly value: Uint8Array;
  readonly splice: number;
  /** stored in a form that is not preferred any more: written anew even when nothing changes */
  readonly stale: boolean;
  /** it came from the store just now: outcomes that are told without a commit need no further look */
  readonly confirmed: boolean;
}

/** The object from the mirror when there is one: it may be a moment old. undefined when only the store can say. */
export function fromMirror(gateway: Gateway, { kind }: ResourceRequest, key: Key): Current | undefined {
  // it takes as long to convert it as to ask the store
  if (isConverted(kind)) return undefined;
  const item = gateway.mirrors.peek(key.resource)?.get(key.namespace, key.name);
  if (item === undefined) return undefined;
  return { revision: item.revision, uid: item.uid, ...item.stored(), stale: false, confirmed: false };
}

/** The object from the store, which must be there. */
export async function fromStore(gateway: Gateway, request: ResourceRequest, key: Key): Promise<Current> {
  const current = await inStore(gateway, request, key);
  if (current === undefined) throw notFound(request.kind.entry, key.name);
  return current;
}

/** The object from the store, if it is there. */
export async function inStore(gateway: Gateway, request: ResourceRequest, key: Key): Promise<Current | undefined> {
  const { found, object } = await gateway.store.read(key);
  if (!found || object === null) return undefined;
  if (object.corrupt !== '') {
    gateway.mirrors.suspect({ key, revision: object.revision });
    throw unreadable(request.kind.entry, [{ ...key, why: object.corrupt }]);
  }
  const { revision, uid, value, splice, stale } = object;
  if (isConverted(request.kind)) return converted(gateway, request.kind, object);
  return { revision, uid, value, splice, stale, confirmed: true };
}

/** As the request's version shows it. Bytes of a version that is not the stored one any more are written anew. */
async function converted(gateway: Gateway, kind: Kind, object: StoredObject): Promise<Current> {
  const stale = object.stale || !isOf(storageOf(kind), object.value);
  const [item] = await gateway.conversions.read(kind, [itemOf(itemParts(object))]);
  if (item === undefined) throw new Error('a state that is converted is one state');
  const { revision, uid } = object;
  return { revision, uid, ...item.stored(), stale, confirmed: true };
}

export function parseCurrent(current: Current): JsonObject {
  return parseStored(current.value, current.revision);
}

export function currentJson(current: Current): Buffer {
  return withResourceVersion(current, current.revision);
}
