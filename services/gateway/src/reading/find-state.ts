import type { Collection, Snapshot } from '@tidegate/collection';
import type { FeatureGates } from '@tidegate/feature-gates';
import { type Revision, toRevision } from '@tidegate/revision';
import { expired } from '@tidegate/status';
import type { StoreSession } from '../clients/store-session.ts';
import { encodeContinue } from '../codec/continue-token.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { Collections } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Freshness } from './list-options.ts';

export interface MirroredState {
  in: 'mirror';
  snapshot: Snapshot;
  /** a continued list that is no longer from the snapshot of its earlier pages */
  inconsistent: boolean;
}

/** The state is not in the mirror: it is streamed from the store or the watch service. */
export interface StreamedState {
  in: 'store' | 'watch';
  revision: Revision;
  /** false: a later state is acceptable */
  exact: boolean;
}

/** Where the state for a list is available. */
export type Found = MirroredState | StreamedState;

/** Where states are searched. */
export interface StatePorts {
  readonly collections: Pick<Collections, 'latest' | 'atLeast' | 'reached' | 'refuseCorrupt'>;
  readonly mirrors: Pick<Mirrors, 'isTooLarge'>;
  readonly store: Pick<StoreSession, 'head'>;
  readonly gates: Pick<FeatureGates, 'enabled'>;
}

interface StateRequest {
  namespace: string;
  freshness: Freshness;
  /** the present state must come from the mirror, however large the collection is */
  inMirror?: boolean;
}

/** Finds the state of a collection that the options of a request select. Throws for an expired continue token. */
export async function findState(
  ports: StatePorts,
  request: ResourceRequest,
  { namespace, freshness, inMirror = false }: StateRequest,
): Promise<Found> {
  if (freshness.kind === 'continuation' && freshness.token.isExpired) throw tooOld(freshness);
  const checked = async (collection: Collection): Promise<Collection> => {
    await ports.collections.refuseCorrupt(request.kind, collection, namespace);
    return collection;
  };
  const now = (collection: Collection, inconsistent = false): Found => ({
    in: 'mirror',
    snapshot: collection.snapshot(),
    inconsistent,
  });
  const latest = async () => checked(await ports.collections.latest(request.kind));
  const atLeast = async (revision: Revision) => checked(await ports.collections.atLeast(request.kind, revision));
  const exactly = async (revision: Revision): Promise<Found> => {
    const collection = await atLeast(revision);
    const snapshot = ports.gates.enabled('ListFromCacheSnapshot') ? collection.at(revision) : undefined;
    if (snapshot === undefined) return { in: 'store', revision, exact: true };
    return { in: 'mirror', snapshot, inconsistent: false };
  };
  const { storedAs } = request.kind;
  if (!inMirror && (await ports.mirrors.isTooLarge(storedAs))) return streamedState(ports, freshness);
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

async function streamedState(ports: StatePorts, freshness: Freshness): Promise<StreamedState> {
  const latest = async (): Promise<StreamedState> => {
    return { in: 'watch', revision: toRevision(await ports.store.head()), exact: false };
  };
  const exactly = async (revision: Revision): Promise<StreamedState> => {
    await ports.collections.reached(revision);
    const held = ports.gates.enabled('ListFromCacheSnapshot');
    return { in: held ? 'watch' : 'store', revision, exact: true };
  };
  switch (freshness.kind) {
    case 'most recent':
      return latest();
    case 'any':
      return { in: 'watch', revision: toRevision(0), exact: false };
    case 'not older than':
      await ports.collections.reached(freshness.revision);
      return { in: 'watch', revision: freshness.revision, exact: false };
    case 'exact':
      return exactly(freshness.revision);
    case 'continuation': {
      const { revision } = freshness.token;
      return revision === -1 ? latest() : exactly(toRevision(revision));
    }
  }
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * The requested revision is no longer kept. For a continued list the error has a token for the rest, without
 * consistency.
 */
export function tooOld(freshness: Freshness): Error {
  if (freshness.kind !== 'continuation') return expired('The resourceVersion for the provided list is too old.');
  return expired(CONTINUE_EXPIRED, encodeContinue({ revision: -1, after: freshness.token.after }));
}
