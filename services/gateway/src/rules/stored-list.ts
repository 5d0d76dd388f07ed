import { corruptObject, type Item, itemOf, itemParts, type Position } from '@tidegate/collection';
import { isConverted, isTypeless } from '@tidegate/kinds';
import type { Revision } from '@tidegate/revision';
import { ApiError, unreadable } from '@tidegate/status';
import type { StoredObject } from '@tidegate/wire';
import { convertedAsTheyCome } from '../conversion/converted-page.ts';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

export interface StoredListRequest {
  readonly namespace: string;
  readonly revision: Revision;
  readonly after: Position | undefined;
  /** 0: all of them */
  readonly limit: number;
  /** others are not needed, and left out where it saves work */
  readonly isAbout?: (item: Item) => boolean;
  /** told how many follow where the limit has ended the list; without it nobody counts them */
  readonly rest?: ((count: number) => void) | undefined;
}

/**
 * The objects of a resource at exactly one revision, in key order, from the store, as they are taken. One that cannot
 * be read ends it.
 */
async function* storedObjects(
  gateway: Gateway,
  { kind }: ResourceRequest,
  { namespace, revision, after, limit, rest }: StoredListRequest,
): AsyncGenerator<StoredObject> {
  const pages = gateway.store.list({
    resource: kind.storedAs,
    namespace,
    revision,
    afterNamespace: after?.namespace ?? '',
    afterName: after?.name ?? '',
    limit,
    countRest: rest !== undefined,
  });
  for await (const { objects, remaining } of pages) {
    const corrupt = objects.filter((object) => object.corrupt !== '');
    if (corrupt.length > 0) {
      const named = corrupt.map((object) => corruptObject(object));
      // an answer that is under way can only be broken off: the next ones are refused before they begin
      for (const one of corrupt) gateway.mirrors.suspect(one);
      throw unreadable(kind.entry, named);
    }
    rest?.(remaining);
    yield* objects;
  }
}

/** The same in the version of the request. */
export function storedItems(gateway: Gateway, request: ResourceRequest, list: StoredListRequest): AsyncGenerator<Item> {
  const { kind } = request;
  const items = itemsOf(storedObjects(gateway, request, list), isTypeless(kind));
  if (!isConverted(kind)) return items;
  return convertedAsTheyCome(gateway.conversions, kind, { items, ...list });
}

async function* itemsOf(objects: AsyncIterable<StoredObject>, typeless: boolean): AsyncGenerator<Item> {
  for await (const object of objects) yield itemOf(itemParts(object), typeless);
}

/** The store's log does not reach back so far. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'Expired';
}
