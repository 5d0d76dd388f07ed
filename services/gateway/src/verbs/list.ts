import type { Collection, Snapshot } from '@tidegate/collection';
import { isConverted } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { expired } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { isPretty } from '../codec/answer.ts';
import { encodeContinue } from '../codec/continue-token.ts';
import { convertedPage } from '../conversion/converted-page.ts';
import type { Gateway, ResourceRequest, VerbHandler } from '../gateway.ts';
import type { PageRequest } from '../hooks/streamed-page.ts';
import { writeFormed, writeList } from '../hooks/write-list.ts';
import { collectionAtLeast, latestCollection, reached } from '../rules/fresh-collection.ts';
import { type Freshness, listOptions } from '../rules/list-options.ts';
import { type Page, pageOf, placeAfter } from '../rules/list-page.ts';
import { refuseCorrupt } from '../rules/refuse-corrupt.ts';
import { type Selection, selectionOf } from '../rules/selection.ts';
import { isExpired } from '../rules/stored-list.ts';
import { listFromStore } from './list-from-store.ts';
import { listFromWatch } from './list-from-watch.ts';

/** GET of a collection, at the revision that the request's options ask for. */
export const list: VerbHandler = async (gateway, request, reply) => {
  const { freshness, limit } = listOptions(request.info);
  if (freshness.kind === 'continuation' && freshness.token.isOver) throw tooOld(freshness);
  const selection = selectionOf(request.kind, request.info);
  const { accepted } = request;
  const after = placeAfter(selection, freshness.kind === 'continuation' ? freshness.token.after : undefined);
  const found = await find(gateway, request, { namespace: selection.namespace, freshness });
  gateway.metrics.lists.labels({ source: found.in }).inc();
  if (found.in !== 'mirror') {
    const page = { selection, after, limit };
    try {
      await passOn(gateway, request, reply, { ...page, ...found });
    } catch (error) {
      throw isExpired(error) ? tooOld(freshness) : error;
    }
    return undefined;
  }
  const converts = isConverted(request.kind);
  const page = converts
    ? await convertedPage(gateway.conversions, request.kind, { snapshot: found.snapshot, selection, after, limit })
    : pageOf(found.snapshot, { selection, after, limit });
  tellContinue(gateway, request, { page, selection, found });
  const asStored = request.kind.stored === request.kind;
  const isPlain = accepted.as === 'object' && accepted.encoding.name === 'json' && !isPretty(request) && asStored;
  if (isPlain) await writeList(gateway, request, reply, page);
  else await writeFormed(request, reply, page);
  return undefined;
};

interface InMirror {
  in: 'mirror';
  snapshot: Snapshot;
  /** a continuation that gave up on being one snapshot with its earlier pages */
  inconsistent: boolean;
}

/** The state is not here: it is passed on from another part. */
interface Elsewhere {
  in: 'store' | 'watch';
  revision: Revision;
  /** otherwise a later state is as good */
  exact: boolean;
}

/** Where the state is that a list asks for. */
type Found = InMirror | Elsewhere;

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

async function find(
  gateway: Gateway,
  request: ResourceRequest,
  { namespace, freshness }: { namespace: string; freshness: Freshness },
): Promise<Found> {
  const whole = async (collection: Collection): Promise<Collection> => {
    await refuseCorrupt(gateway, request, collection, namespace);
    return collection;
  };
  const now = (collection: Collection, inconsistent = false): Found => ({
    in: 'mirror',
    snapshot: collection.snapshot(),
    inconsistent,
  });
  const latest = async () => whole(await latestCollection(gateway, request));
  const atLeast = async (revision: Revision) => whole(await collectionAtLeast(gateway, request, revision));
  const exactly = async (revision: Revision): Promise<Found> => {
    const collection = await atLeast(revision);
    const snapshot = gateway.gates.enabled('ListFromCacheSnapshot') ? collection.at(revision) : undefined;
    if (snapshot === undefined) return { in: 'store', revision, exact: true };
    return { in: 'mirror', snapshot, inconsistent: false };
  };
  if (await gateway.mirrors.isTooLarge(request.kind.storedAs)) return elsewhere(gateway, freshness);
  switch (freshness.kind) {
    case 'most recent':
      return now(await latest());
    case 'any':
      return now(await atLeast(toRevision(0)));
    case 'not older than':
      return now(await atLeast(freshness.revision));
    case 'exact':
      return exactly(freshness.revision);
    case 'continuation': {
      const { revision } = freshness.token;
      return revision === -1 ? now(await latest(), true) : exactly(toRevision(revision));
    }
  }
}

async function elsewhere(gateway: Gateway, freshness: Freshness): Promise<Elsewhere> {
  const latest = async (): Promise<Elsewhere> => {
    return { in: 'watch', revision: toRevision(await gateway.store.head()), exact: false };
  };
  const exactly = async (revision: Revision): Promise<Elsewhere> => {
    await reached(gateway, revision);
    const held = gateway.gates.enabled('ListFromCacheSnapshot');
    return { in: held ? 'watch' : 'store', revision, exact: true };
  };
  switch (freshness.kind) {
    case 'most recent':
      return latest();
    case 'any':
      return { in: 'watch', revision: toRevision(0), exact: false };
    case 'not older than':
      await reached(gateway, freshness.revision);
      return { in: 'watch', revision: freshness.revision, exact: false };
    case 'exact':
      return exactly(freshness.revision);
    case 'continuation': {
      const { revision } = freshness.token;
      return revision === -1 ? latest() : exactly(toRevision(revision));
    }
  }
}

/** Where the next page begins, if there is one. The snapshot is kept for it. */
function tellContinue(
  gateway: Gateway,
  { kind }: ResourceRequest,
  { page, selection, found }: { page: Page; selection: Selection; found: InMirror },
): void {
  const { last, metadata } = page;
  if (last === undefined) return;
  const { snapshot, inconsistent } = found;
  const { revision } = snapshot;
  const { namespace } = selection;
  if (!inconsistent) gateway.mirrors.peek(kind.storedAs)?.keep(snapshot);
  if (metadata.remainingItemCount !== undefined) {
    gateway.remaining.note({ resource: kind.storedAs, namespace, revision, last }, metadata.remainingItemCount);
  }
  const after = { namespace: namespace === '' ? last.namespace : '', name: last.name };
  metadata.continue = encodeContinue({ revision, after });
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function tooOld(freshness: Freshness): Error {
  if (freshness.kind !== 'continuation') return expired('The resourceVersion for the provided list is too old.');
  return expired(CONTINUE_EXPIRED, encodeContinue({ revision: -1, after: freshness.token.after }));
}
