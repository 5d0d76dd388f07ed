import type { Position } from '@tidegate/collection';
import type { Revision } from '@tidegate/revision';
import type { FastifyReply } from 'fastify';
import type { Collections, StoredListRequest } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { PageEnd, RemainingCounts } from './remaining-counts.ts';
import { type PageRequest, StreamedPage } from './streamed-page.ts';

export interface StoredListPorts {
  readonly collections: Pick<Collections, 'stored'>;
  readonly remaining: RemainingCounts;
}

interface ListFromStore extends PageRequest {
  readonly revision: Revision;
}

/**
 * Lists an exact revision that no mirror has, streaming it from the store.
 *
 * The store is asked for one page only, and counts the rest if that is not known from the previous page. A list with
 * selectors has no such count, and reads on until the page is full and one more object is found.
 */
export async function listFromStore(
  ports: StoredListPorts,
  request: ResourceRequest,
  reply: FastifyReply,
  list: ListFromStore,
): Promise<void> {
  const { selection, after, limit, revision } = list;
  const page = new StreamedPage(request, reply, list);
  page.revision = revision;
  const counts = !selection.selective && limit > 0;
  const endAt = (last: Position): PageEnd => ({
    resource: request.kind.storedAs,
    namespace: selection.namespace,
    revision,
    last,
  });
  const known = counts && after !== undefined ? ports.remaining.after(endAt(after)) : undefined;
  const stored: StoredListRequest = {
    namespace: selection.namespace,
    revision,
    after,
    limit: counts ? limit : 0,
    isAbout: selection.isAbout,
    ...(counts && known === undefined ? { rest: (count) => (page.remaining = count) } : {}),
  };
  await page.begin();
  for await (const item of ports.collections.stored(request.kind, stored)) if (!(await page.write(item))) break;
  if (known !== undefined) page.remaining = known - page.count;
  if (counts && page.remaining > 0 && page.last !== undefined) {
    ports.remaining.note(endAt(page.last), page.remaining);
  }
  await page.end();
}
