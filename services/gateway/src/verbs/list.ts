import type { FastifyReply } from 'fastify';
import { isPretty } from '../codec/answer.ts';
import type { Gateway, VerbHandler } from '../gateway.ts';
import type { PageRequest } from '../hooks/streamed-page.ts';
import { writeFormed, writeList } from '../hooks/write-list.ts';
import { isExpired } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { selectionOf } from '../request/selection.ts';
import { type Elsewhere, findState, tooOld } from '../rules/find-state.ts';
import { listOptions } from '../rules/list-options.ts';
import { placeAfter } from '../rules/list-page.ts';
import { mirroredPage } from '../rules/mirrored-page.ts';
import { listFromStore } from './list-from-store.ts';
import { listFromWatch } from './list-from-watch.ts';

/** GET of a collection, at the revision that the request's options ask for. */
export const list: VerbHandler = async (gateway, request, reply) => {
  const { freshness, limit } = listOptions(request.info);
  const selection = selectionOf(request.kind, request.info);
  const { accepted } = request;
  const after = placeAfter(selection, freshness.kind === 'continuation' ? freshness.token.after : undefined);
  const found = await findState(gateway, request, { namespace: selection.namespace, freshness });
  gateway.metrics.lists.labels({ source: found.in }).inc();
  const wanted = { selection, after, limit };
  if (found.in !== 'mirror') {
    try {
      await passOn(gateway, request, reply, { ...wanted, ...found });
    } catch (error) {
      throw isExpired(error) ? tooOld(freshness) : error;
    }
    return undefined;
  }
  const page = await mirroredPage(gateway, request, { found, page: wanted });
  const asStored = request.kind.stored === request.kind;
  const isPlain = accepted.as === 'object' && accepted.encoding.name === 'json' && !isPretty(request) && asStored;
  if (isPlain) await writeList(gateway, request, reply, page);
  else await writeFormed(gateway, request, reply, page);
  return undefined;
};

/** What the watch service has forgotten, the store may still know. */
async function passOn(
  gateway: Gateway,
  request: ResourceRequest,
  reply: FastifyReply,
  page: PageRequest & Elsewhere,
): Promise<void> {
  if (page.in === 'store') return listFromStore(gateway, request, reply, page);
  try {
    await listFromWatch(gateway, request, reply, page);
  } catch (error) {
    if (!(page.exact && isExpired(error))) throw error;
    await listFromStore(gateway, request, reply, page);
  }
}
