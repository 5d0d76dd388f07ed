import { type Item, type Position, type Run, runOf, type Snapshot } from '@tidegate/collection';
import { revisionText } from '@tidegate/revision';
import type { Selection } from '../request/selection.ts';

/** A list's own metadata. */
export interface ListMetadata {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

/** One page of a list, or all of it, as runs of a snapshot. */
export interface Page {
  runs: Run[];
  metadata: ListMetadata;
  /** set when there are more */
  last: Item | undefined;
}

export interface PageRequest {
  selection: Selection;
  after: Position | undefined;
  /** 0: no limit */
  limit: number;
}

/** The runs of one page, filtered where the request selects. */
export function pageOf(snapshot: Snapshot, { selection, after, limit }: PageRequest): Page {
  const metadata: ListMetadata = { resourceVersion: revisionText(snapshot.revision) };
  const runs: Run[] = [];
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let last: Item | undefined;
  let remaining = 0;
  for (const run of snapshot.runs(selection.namespace, after)) {
    const selected = selection.selective ? filtered(run, selection) : run;
    const count = selected.to - selected.from;
    if (count === 0) continue;
    if (left > 0) {
      const taken = Math.min(count, left);
      runs.push(taken === count ? selected : runOf(selected.items, selected.from, selected.from + taken));
      left -= taken;
      last = selected.items[selected.from + taken - 1];
      remaining += count - taken;
    } else remaining += count;
    if (selection.selective && remaining > 0) break;
  }
  const more = remaining > 0;
  if (more && !selection.selective) metadata.remainingItemCount = remaining;
  // the last page of a paged list says so
  if (!more && limit > 0) metadata.continue = '';
  return { runs, metadata, last: more ? last : undefined };
}

function filtered(run: Run, selection: Selection): Run {
  const items = run.items.slice(run.from, run.to).filter((item) => selection.matches(item));
  return runOf(items, 0, items.length);
}

/** Tokens of a namespaced list name the object only. */
export function placeAfter(selection: Selection, after: Position | undefined): Position | undefined {
  if (after === undefined || selection.namespace === '') return after;
  return { namespace: selection.namespace, name: after.name };
}
