import type { Item } from '@tidegate/collection';
import { type Revision, revisionText } from '@tidegate/revision';
import { encodeContinue } from '../codec/continue-token.ts';
import type { Gateway } from '../gateway.ts';
import { isExpired, itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { selectionOf } from '../request/selection.ts';
import { findState, tooOld } from './find-state.ts';
import { listOptions } from './list-options.ts';
import { type ListMetadata, type PageRequest, placeAfter } from './list-page.ts';
import { mirroredPage } from './mirrored-page.ts';

interface Listed {
  readonly items: readonly Item[];
  readonly metadata: ListMetadata;
}

/** The objects that a list with the options of this request shows, for a verb that does something with each. */
export async function listedItems(gateway: Gateway, request: ResourceRequest): Promise<Listed> {
  const { freshness, limit } = listOptions(request.info);
  const selection = selectionOf(request.kind, request.info);
  const after = placeAfter(selection, freshness.kind === 'continuation' ? freshness.token.after : undefined);
  const found = await findState(gateway, request, { namespace: selection.namespace, freshness, inMirror: true });
  const page = { selection, after, limit };
  if (found.in === 'mirror') {
    const { runs, metadata } = await mirroredPage(gateway, request, { found, page });
    return { items: itemsOf(runs), metadata };
  }
  try {
    return await fromStore(gateway, request, { revision: found.revision, page });
  } catch (error) {
    throw isExpired(error) ? tooOld(freshness) : error;
  }
}

/** At an exact version that no mirror shows any more. */
async function fromStore(
  gateway: Gateway,
  request: ResourceRequest,
  { revision, page: { selection, after, limit } }: { revision: Revision; page: PageRequest },
): Promise<Listed> {
  const metadata: ListMetadata = { resourceVersion: revisionText(revision) };
  const items: Item[] = [];
  const asked = { namespace: selection.namespace, revision, after, limit: 0, isAbout: selection.isAbout };
  for await (const item of gateway.collections.stored(request.kind, asked)) {
    if (!selection.matches(item)) continue;
    if (limit > 0 && items.length === limit) {
      const { namespace, name } = items.at(-1) as Item;
      metadata.continue = encodeContinue({
        revision,
        after: { namespace: selection.namespace === '' ? namespace : '', name },
      });
      return { items, metadata };
    }
    items.push(item);
  }
  if (limit > 0) metadata.continue = '';
  return { items, metadata };
}
