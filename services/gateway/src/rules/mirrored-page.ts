import { isConverted } from '@tidegate/kinds';
import { encodeContinue } from '../codec/continue-token.ts';
import { convertedPage } from '../conversion/converted-page.ts';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Selection } from '../request/selection.ts';
import type { InMirror } from './find-state.ts';
import { type Page, type PageRequest, pageOf } from './list-page.ts';

interface Wanted {
  readonly found: InMirror;
  readonly page: PageRequest;
}

/** One page of a state that is here, in the version of the request, with the token of the next one. */
export async function mirroredPage(
  gateway: Gateway,
  request: ResourceRequest,
  { found, page: wanted }: Wanted,
): Promise<Page> {
  const { kind } = request;
  const { snapshot } = found;
  const page = isConverted(kind)
    ? await convertedPage(gateway.conversions, kind, { snapshot, ...wanted })
    : pageOf(snapshot, wanted);
  tellContinue(gateway, request, { page, selection: wanted.selection, found });
  return page;
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
