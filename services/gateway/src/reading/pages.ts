import { type Item, type Position, type Run, runOf, type Snapshot } from '@tidegate/collection';
import { isConverted, type Kind } from '@tidegate/kinds';
import { revisionText } from '@tidegate/revision';
import { encodeContinue } from '../codec/continue-token.ts';
import type { ListMetadata } from '../codec/list-shape.ts';
import { type Conversions, isReturnedAsStored } from '../conversion/conversions.ts';
import { type Collections, itemsOf } from '../objects/collections.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Selection } from '../request/selection.ts';
import type { MirroredState } from './find-state.ts';
import type { RemainingCounts } from './remaining-counts.ts';

/** One page of a list, or all of it, as runs of a snapshot. */
export interface Page {
  runs: Run[];
  metadata: ListMetadata;
  /** the last object, if there are more pages */
  last: Item | undefined;
}

export interface PageRequest {
  selection: Selection;
  after: Position | undefined;
  /** 0: no limit */
  limit: number;
}

/** The runs of one page, filtered if the request has selectors. */
export function pageOf(snapshot: Snapshot, page: PageRequest): Page {
  const { selection, limit } = page;
  const { runs, last, isFull } = firstRuns(snapshot, page);
  const metadata: ListMetadata = { resourceVersion: revisionText(snapshot.revision) };
  const remaining = isFull && !selection.selective ? snapshot.count(selection.namespace, last) : 0;
  if (remaining > 0) metadata.remainingItemCount = remaining;
  const more = selection.selective ? isFull : remaining > 0;
  // on the last page of a paged list, continue is empty
  if (!more && limit > 0) metadata.continue = '';
  return { runs, metadata, last: more ? last : undefined };
}

interface FirstRuns {
  readonly runs: Run[];
  readonly last: Item | undefined;
  /** with selectors: there is another object; without them: there may be one */
  readonly isFull: boolean;
}

/** As many selected objects as fit into the page. */
function firstRuns(snapshot: Snapshot, { selection, after, limit }: PageRequest): FirstRuns {
  const runs: Run[] = [];
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let last: Item | undefined;
  for (const run of snapshot.runs(selection.namespace, after)) {
    const selected = selection.selective ? filtered(run, selection) : run;
    const count = selected.to - selected.from;
    if (count === 0) continue;
    if (left === 0) return { runs, last, isFull: true };
    const taken = Math.min(count, left);
    runs.push(taken === count ? selected : runOf(selected.items, selected.from, selected.from + taken));
    left -= taken;
    last = selected.items[selected.from + taken - 1];
    if (taken < count || (left === 0 && !selection.selective)) return { runs, last, isFull: true };
  }
  return { runs, last, isFull: false };
}

function filtered(run: Run, selection: Selection): Run {
  const items = run.items.slice(run.from, run.to).filter((item) => selection.matches(item));
  return runOf(items, 0, items.length);
}

/** Continue tokens of a namespaced list have the name of the object only. */
export function positionAfter(selection: Selection, after: Position | undefined): Position | undefined {
  if (after === undefined || selection.namespace === '') return after;
  return { namespace: selection.namespace, name: after.name };
}

/** What building pages needs. */
export interface PagePorts {
  readonly collections: Pick<Collections, 'peek'>;
  readonly conversions: Pick<Conversions, 'read'>;
  readonly remaining: RemainingCounts;
}

interface PageOf {
  readonly found: MirroredState;
  readonly page: PageRequest;
}

/** One page of a mirrored state, in the version of the request, with the token of the next page. */
export async function mirroredPage(
  ports: PagePorts,
  request: ResourceRequest,
  { found, page: wanted }: PageOf,
): Promise<Page> {
  const { kind } = request;
  const { snapshot } = found;
  const page = isConverted(kind)
    ? await convertedPage(ports.conversions, kind, { snapshot, ...wanted })
    : pageOf(snapshot, wanted);
  setContinue(ports, request, { page, selection: wanted.selection, found });
  return page;
}

/** Sets the continue token if there are more pages, and keeps the snapshot for them. */
function setContinue(
  ports: PagePorts,
  { kind }: ResourceRequest,
  { page, selection, found }: { page: Page; selection: Selection; found: MirroredState },
): void {
  const { last, metadata } = page;
  if (last === undefined) return;
  const { snapshot, inconsistent } = found;
  const { revision } = snapshot;
  const { namespace } = selection;
  if (!inconsistent) ports.collections.peek(kind.storedAs)?.keep(snapshot);
  if (metadata.remainingItemCount !== undefined) {
    ports.remaining.note({ resource: kind.storedAs, namespace, revision, last }, metadata.remainingItemCount);
  }
  const after = { namespace: namespace === '' ? last.namespace : '', name: last.name };
  metadata.continue = encodeContinue({ revision, after });
}

/** The number of objects for one conversion call. */
const CONVERSION_BATCH = 500;
/** Runs are joined and written one by one. */
const RUN_ITEMS = 128;

/** One page of a list in a converted version. Selectors apply to the converted object, as the client sees it. */
async function convertedPage(
  conversions: Pick<Conversions, 'read'>,
  kind: Kind,
  { snapshot, ...wanted }: PageRequest & { snapshot: Snapshot },
): Promise<Page> {
  if (!wanted.selection.selective) {
    const page = pageOf(snapshot, wanted);
    return { ...page, runs: await convertedRuns(conversions, kind, page.runs) };
  }
  const { selection, after, limit } = wanted;
  const selected: Item[] = [];
  const all = itemsOf(snapshot.runs(selection.namespace, after)).filter((item) => selection.isAbout(item));
  for (let at = 0; at < all.length && (limit === 0 || selected.length <= limit); at += CONVERSION_BATCH) {
    const converted = await conversions.read(kind, all.slice(at, at + CONVERSION_BATCH));
    for (const item of converted) if (selection.matches(item)) selected.push(item);
  }
  const more = limit > 0 && selected.length > limit;
  const shown = more ? selected.slice(0, limit) : selected;
  const metadata = {
    resourceVersion: revisionText(snapshot.revision),
    ...(!more && limit > 0 ? { continue: '' } : {}),
  };
  return { runs: runsOf(shown), metadata, last: more ? shown.at(-1) : undefined };
}

/** Runs whose items all need no conversion are kept, with their joined bytes. */
async function convertedRuns(conversions: Pick<Conversions, 'read'>, kind: Kind, runs: readonly Run[]): Promise<Run[]> {
  const isReady = ({ items, from, to }: Run) => items.slice(from, to).every((item) => isReturnedAsStored(kind, item));
  const stale = new Set(runs.filter((run) => !isReady(run)));
  const converted = await conversions.read(kind, itemsOf(stale));
  let from = 0;
  return runs.map((run) => {
    if (!stale.has(run)) return run;
    const to = from + run.to - run.from;
    const made = runOf(converted, from, to);
    from = to;
    return made;
  });
}

function runsOf(items: readonly Item[]): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < items.length; from += RUN_ITEMS)
    runs.push(runOf(items, from, Math.min(from + RUN_ITEMS, items.length)));
  return runs;
}
