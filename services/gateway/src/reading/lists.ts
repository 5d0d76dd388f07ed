import type { Item } from '@tidegate/collection';
import { type Revision, revisionText } from '@tidegate/revision';
import type { FastifyReply } from 'fastify';
import { type ListWriting, writeConverted, writeList } from '../answer/write-list.ts';
import { isPretty } from '../codec/answer.ts';
import { encodeContinue } from '../codec/continue-token.ts';
import type { ListMetadata } from '../codec/list-shape.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { type Collections, isExpired, itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { selectionOf } from '../request/selection.ts';
import { findState, type StatePorts, type StreamedState, tooOld } from './find-state.ts';
import { listFromStore } from './list-from-store.ts';
import { listFromWatch, type StreamedListPorts } from './list-from-watch.ts';
import { listOptions } from './list-options.ts';
import { mirroredPage, type PagePorts, type PageRequest, positionAfter } from './pages.ts';
import { RemainingCounts } from './remaining-counts.ts';

interface ListsPorts
  extends Omit<StatePorts, 'collections'>,
    Omit<PagePorts, 'remaining' | 'collections'>,
    StreamedListPorts {
  readonly collections: Pick<Collections, 'latest' | 'atLeast' | 'reached' | 'refuseCorrupt' | 'peek' | 'stored'>;
  readonly metrics: Pick<GatewayMetrics, 'lists'>;
  readonly writing: ListWriting;
}

interface Listed {
  readonly items: readonly Item[];
  readonly metadata: ListMetadata;
}

/** Lists: find the requested state, select a page of it, and write it in the negotiated form. */
export class Lists {
  readonly #ports: ListsPorts & Pick<PagePorts, 'remaining'>;

  constructor(ports: ListsPorts) {
    this.#ports = { ...ports, remaining: new RemainingCounts() };
  }

  /** GET of a collection: writes the requested list. */
  async serve(request: ResourceRequest, reply: FastifyReply): Promise<undefined> {
    const { freshness, page, found } = await this.#find(request, false);
    this.#ports.metrics.lists.labels({ source: found.in }).inc();
    if (found.in !== 'mirror') {
      try {
        await this.#stream(request, reply, { ...page, ...found });
      } catch (error) {
        throw isExpired(error) ? tooOld(freshness) : error;
      }
      return undefined;
    }
    const shown = await mirroredPage(this.#ports, request, { found, page });
    const write = isPlain(request) ? writeList : writeConverted;
    await write(this.#ports.writing, request, reply, shown);
    return undefined;
  }

  /** The objects of the requested list, for a verb that processes each of them. */
  async items(request: ResourceRequest): Promise<Listed> {
    const { freshness, page, found } = await this.#find(request, true);
    if (found.in === 'mirror') {
      const { runs, metadata } = await mirroredPage(this.#ports, request, {
        found,
        page,
      });
      return { items: itemsOf(runs), metadata };
    }
    try {
      return await this.#storedItems(request, found.revision, page);
    } catch (error) {
      throw isExpired(error) ? tooOld(freshness) : error;
    }
  }

  async #find(request: ResourceRequest, inMirror: boolean) {
    const { freshness, limit } = listOptions(request.info);
    const selection = selectionOf(request.kind, request.info);
    const after = positionAfter(selection, freshness.kind === 'continuation' ? freshness.token.after : undefined);
    const found = await findState(this.#ports, request, { namespace: selection.namespace, freshness, inMirror });
    return { freshness, found, page: { selection, after, limit } };
  }

  /** Streams the list. An exact state that the watch service no longer has may still be in the store. */
  async #stream(request: ResourceRequest, reply: FastifyReply, page: PageRequest & StreamedState): Promise<void> {
    const fromStore = () => listFromStore(this.#ports, request, reply, page);
    if (page.in === 'store') return fromStore();
    try {
      await listFromWatch(this.#ports, request, reply, page);
    } catch (error) {
      if (!(page.exact && isExpired(error))) throw error;
      await fromStore();
    }
  }

  /** Reads the items at an exact revision that no mirror has any more. */
  async #storedItems(
    request: ResourceRequest,
    revision: Revision,
    { selection, after, limit }: PageRequest,
  ): Promise<Listed> {
    const metadata: ListMetadata = { resourceVersion: revisionText(revision) };
    const items: Item[] = [];
    const stored = { namespace: selection.namespace, revision, after, limit: 0, isAbout: selection.isAbout };
    for await (const item of this.#ports.collections.stored(request.kind, stored)) {
      if (!selection.matches(item)) continue;
      if (limit > 0 && items.length === limit) {
        const { namespace, name } = items.at(-1) as Item;
        const last = { namespace: selection.namespace === '' ? namespace : '', name };
        metadata.continue = encodeContinue({ revision, after: last });
        return { items, metadata };
      }
      items.push(item);
    }
    if (limit > 0) metadata.continue = '';
    return { items, metadata };
  }
}

/** Whether the stored bytes of the objects can be sent unchanged. */
function isPlain(request: ResourceRequest): boolean {
  const { accepted, kind } = request;
  const isJson = accepted.as === 'object' && accepted.encoding.name === 'json';
  return isJson && !isPretty(request) && kind.stored === kind;
}
