import { encodeContinue } from '../codec/continue-token.ts';
import type { Gateway, ResourceRequest } from '../gateway.ts';
import type { InMirror } from './find-state.ts';
import type { Page } from './list-page.ts';
import type { Selection } from './selection.ts';

/** Where the next page begins, if there is one. The snapshot is kept for it. */
export function tellContinue(
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
