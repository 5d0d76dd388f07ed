import { type Item, type Run, runOf, type Snapshot } from '@tidegate/collection';
import type { Kind } from '@tidegate/kinds';
import { revisionText } from '@tidegate/revision';
import { itemsOf } from '../objects/collections.ts';
import { type Page, type PageRequest, pageOf } from '../rules/list-page.ts';
import { type Conversions, isHandedOn } from './conversions.ts';

/** As many as a converter is asked about at a time. */
const CHUNK = 500;
/** Runs of a list are joined, and written, one by one. */
const RUN = 128;

/** One page of a list in the version of a kind: what a selector looks at is what the client sees. */
export async function convertedPage(
  conversions: Conversions,
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
  for (let at = 0; at < all.length && (limit === 0 || selected.length <= limit); at += CHUNK) {
    const converted = await conversions.read(kind, all.slice(at, at + CHUNK));
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

/** Runs that need nobody's work stay as they are, with the bytes that they have joined. */
async function convertedRuns(conversions: Conversions, kind: Kind, runs: readonly Run[]): Promise<Run[]> {
  const isReady = ({ items, from, to }: Run) => items.slice(from, to).every((item) => isHandedOn(kind, item));
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
  for (let from = 0; from < items.length; from += RUN)
    runs.push(runOf(items, from, Math.min(from + RUN, items.length)));
  return runs;
}
