import type { Collection } from '@tidegate/collection';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { resourceVersionTooLarge, timeout } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

/** How long a read waits to become as fresh as it was asked for. */
export const FRESHNESS_WAIT_MS = 3000;
/** How long it waits for what must come: the state as it is. */
const PATIENCE_MS = 10_000;

/** The collection as it is now: complete through the revision that the store tells when it is asked. */
export async function latestCollection(gateway: Gateway, request: ResourceRequest): Promise<Collection> {
  return someCollection(gateway, request, toRevision(await gateway.store.head()));
}

/** The collection as this process has it, once it is complete through a revision that is known to exist. */
export async function someCollection(
  gateway: Gateway,
  { kind }: ResourceRequest,
  through: Revision,
): Promise<Collection> {
  const collection = await gateway.mirrors.collection(kind.storedAs, through, PATIENCE_MS);
  if (collection !== undefined) return collection;
  throw timeout('the watch service did not bring the current state in time, please try again');
}

/** Waits until a version that a client asks for is one that exists; it may be of the future. */
export async function reached(gateway: Gateway, revision: Revision): Promise<void> {
  if (revision <= (await gateway.store.head())) return;
  if (await gateway.mirrors.reaches(revision, FRESHNESS_WAIT_MS)) return;
  throw resourceVersionTooLarge(revisionText(revision), revisionText(gateway.mirrors.through));
}

/**
 * The collection at least as fresh as a client asks for. The version may be one of the future, which nobody but the store
 * can tell: the watch service is asked for it only when the store has it.
 */
export async function collectionAtLeast(
  gateway: Gateway,
  { kind }: ResourceRequest,
  revision: Revision,
): Promise<Collection> {
  const { mirrors, store } = gateway;
  const exists = revision <= mirrors.through || revision <= (await store.head());
  const collection = exists
    ? await mirrors.collection(kind.storedAs, revision, FRESHNESS_WAIT_MS)
    : await mirrors.collectionIfReached(kind.storedAs, revision, FRESHNESS_WAIT_MS);
  if (collection !== undefined) return collection;
  throw resourceVersionTooLarge(revisionText(revision), revisionText(gateway.mirrors.through));
}
