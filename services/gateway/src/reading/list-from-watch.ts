import { segmentOf } from '@tidegate/collection';
import { isConverted, isTypeless } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { unreadable } from '@tidegate/status';
import type { ListPart } from '@tidegate/wire';
import type { FastifyReply } from 'fastify';
import type { WatchLists } from '../clients/watch-lists.ts';
import type { Conversions } from '../conversion/conversions.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type PageRequest, StreamedPage } from './streamed-page.ts';

/** Errors can occur only at the start of the stream, so little needs to be held back. */
const DELAYED_BYTES = 128 << 10;

export interface StreamedListPorts {
  readonly watchLists: Pick<WatchLists, 'list'>;
  readonly conversions: Pick<Conversions, 'read'>;
}

interface ListFromWatch extends PageRequest {
  readonly revision: Revision;
  readonly exact: boolean;
}

/**
 * Lists a collection that is too large for a mirror, streaming it from the watch service: as whole segments, where
 * nothing is filtered and the client accepts the stored form.
 */
export async function listFromWatch(
  ports: StreamedListPorts,
  request: ResourceRequest,
  reply: FastifyReply,
  list: ListFromWatch,
): Promise<void> {
  const { selection, after, limit, revision, exact } = list;
  const page = new StreamedPage(request, reply, list, DELAYED_BYTES);
  const converts = isConverted(request.kind);
  const typeless = isTypeless(request.kind);
  const heads = selection.selective || !page.form.plain || converts;
  const parts = ports.watchLists.list({
    resource: request.kind.storedAs,
    namespace: selection.namespace,
    afterNamespace: after?.namespace ?? '',
    afterName: after?.name ?? '',
    // a selector filters here, so the limit cannot be applied there
    limit: selection.selective ? 0 : limit,
    revision,
    exact,
    heads,
    typeless,
  });
  await page.begin();
  for await (const part of parts) {
    refuseCorrupt(request, part);
    if (part.revision) page.revision = toRevision(part.revision);
    if (part.remaining) page.remaining = part.remaining;
    if (!(await (heads ? writeItems(ports, request, { page, part }) : writeWhole(page, part)))) break;
  }
  await page.end();
}

function refuseCorrupt({ kind }: ResourceRequest, { corrupt = [] }: ListPart): void {
  if (corrupt.length === 0) return;
  throw unreadable(
    kind.entry,
    corrupt.map((object) => ({ ...object, revision: toRevision(object.revision) })),
  );
}

async function writeWhole(page: StreamedPage, part: ListPart): Promise<boolean> {
  const { segment, count = 0, lastNamespace = '', lastName = '' } = part;
  if (!segment) return true;
  return page.writeWhole(segment.json as Buffer, count, { namespace: lastNamespace, name: lastName });
}

async function writeItems(
  ports: StreamedListPorts,
  { kind }: ResourceRequest,
  { page, part: { segment } }: { page: StreamedPage; part: ListPart },
): Promise<boolean> {
  if (!segment) return true;
  const { items } = segmentOf(segment.json as Buffer, segment.items, isTypeless(kind));
  const converts = isConverted(kind);
  for (const item of converts ? await ports.conversions.read(kind, items) : items)
    if (!(await page.write(item))) return false;
  return true;
}
