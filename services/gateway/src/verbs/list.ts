import type { Collection, Snapshot } from '@tidegate/collection';
import { type Revision, toRevision } from '@tidegate/revision';
import { expired } from '@tidegate/status';
import { encodeContinue } from '../codec/continue-token.ts';
import { listAnswer } from '../codec/list-answer.ts';
import { negotiate } from '../codec/negotiate.ts';
import type { Gateway, ResourceRequest, VerbHandler } from '../gateway.ts';
import { writeList } from '../hooks/write-list.ts';
import { collectionAtLeast, latestCollection } from '../rules/fresh-collection.ts';
import { type Freshness, listOptions } from '../rules/list-options.ts';
import { pageOf, placeAfter } from '../rules/list-page.ts';
import { refuseCorrupt } from '../rules/refuse-corrupt.ts';
import { selectionOf } from '../rules/selection.ts';

/** GET of a collection, at the revision that the request's options ask for. */
export const list: VerbHandler = async (gateway, request, reply) => {
  const options = listOptions(request.info);
  const selection = selectionOf(request.kind, request.info);
  const accepted = negotiate(request.accept);
  const { snapshot, inconsistent } = await snapshotFor(gateway, request, {
    namespace: selection.namespace,
    freshness: options.freshness,
  });
  const after = options.freshness.kind === 'continuation' ? options.freshness.token.after : undefined;
  const page = pageOf(snapshot, { selection, after: placeAfter(selection, after), limit: options.limit });
  if (page.last !== undefined) {
    if (!inconsistent) gateway.mirrors.peek(request.kind.storedAs)?.keep(snapshot);
    page.metadata.continue = encodeContinue({
      revision: snapshot.revision,
      after: { namespace: selection.namespace === '' ? page.last.namespace : '', name: page.last.name },
    });
  }
  const pretty = accepted.pretty || request.info.query.flag('pretty');
  if (accepted.as !== 'object' || pretty) return listAnswer(request, accepted, page, pretty);
  await writeList(gateway, request, reply, page);
  return undefined;
};

interface Found {
  snapshot: Snapshot;
  /** a continuation that gave up on being one snapshot with its earlier pages */
  inconsistent: boolean;
}

async function snapshotFor(
  gateway: Gateway,
  request: ResourceRequest,
  { namespace, freshness }: { namespace: string; freshness: Freshness },
): Promise<Found> {
  const whole = async (collection: Collection): Promise<Collection> => {
    await refuseCorrupt(gateway, request, collection, namespace);
    return collection;
  };
  const latest = async () => whole(await latestCollection(gateway, request));
  const atLeast = async (revision: Revision) => whole(await collectionAtLeast(gateway, request, revision));
  switch (freshness.kind) {
    case 'most recent':
      return { snapshot: (await latest()).snapshot(), inconsistent: false };
    case 'any':
      return { snapshot: (await atLeast(toRevision(0))).snapshot(), inconsistent: false };
    case 'not older than':
      return { snapshot: (await atLeast(freshness.revision)).snapshot(), inconsistent: false };
    case 'exact': {
      const snapshot = (await atLeast(freshness.revision)).at(freshness.revision);
      if (snapshot === undefined) throw expired('The resourceVersion for the provided list is too old.');
      return { snapshot, inconsistent: false };
    }
    case 'continuation': {
      const { revision, after } = freshness.token;
      if (revision === -1) return { snapshot: (await latest()).snapshot(), inconsistent: true };
      const snapshot = (await atLeast(toRevision(revision))).at(toRevision(revision));
      if (snapshot === undefined) throw expired(CONTINUE_EXPIRED, encodeContinue({ revision: -1, after }));
      return { snapshot, inconsistent: false };
    }
  }
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
