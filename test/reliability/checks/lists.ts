import type { ChangeLog } from '../history/change-log.ts';
import { describeState, type History, type List, type State, selects } from '../history/history.ts';
import { initialLists } from '../history/leg.ts';
import type { Check } from './check.ts';
import { isAcknowledged } from './real-time-order.ts';

function allLists(history: History): List[] {
  return [...history.lists, ...history.watchers.flatMap(initialLists)];
}

function nameOf({ client, mode, asked, selector, pages }: List): string {
  const what = `${mode} list of ${client}${asked === 0 ? '' : ` asked at ${asked}`}`;
  return `${what}${selector === '' ? '' : ` of ${selector}`} at ${pages[0]?.version} in ${pages.length} pages`;
}

/**
 * Invariant: a list is the state at its version, exactly: each object as its last change up to that version left it,
 * and nothing else. Held against the replay of all changes that anybody saw.
 */
export const listIsStateAtVersion: Check = (history, log) =>
  allLists(history).flatMap((list) => {
    const version = list.pages[0]?.version ?? 0;
    const items = list.pages.flatMap((page) => page.items);
    return differences(items, log.stateAt(version, list.selector), list.whole).map(
      (text) => `${nameOf(list)}: ${text}`,
    );
  });

/** Of a sequence that was not read to its end nothing is missing. */
function differences(items: readonly State[], expected: ReadonlyMap<string, State>, whole: boolean): string[] {
  const seen = new Map(items.map((state) => [state.key, state]));
  const wrong = items
    .filter((state) => describeState(state) !== describeState(expected.get(state.key)))
    .map((state) => `holds ${describeState(state)} instead of ${describeState(expected.get(state.key))}`);
  const missing = whole ? [...expected.values()].filter((state) => !seen.has(state.key)) : [];
  return [...wrong, ...missing.map((state) => `lacks ${describeState(state)}`)];
}

/** Invariant: the pages of a list are one snapshot: one version, keys that only rise, each object once. */
export const pagesAreOneSnapshot: Check = (history) =>
  allLists(history).flatMap((list) => {
    const found: string[] = [];
    const versions = new Set(list.pages.map((page) => page.version));
    if (versions.size > 1) found.push(`${nameOf(list)}: pages at the versions ${[...versions].join(', ')}`);
    const keys = list.pages.flatMap((page) => page.items.map((state) => state.key));
    const unordered = keys.findIndex((key, i) => i > 0 && key <= (keys[i - 1] as string));
    // a state that comes first on a watch has no promised order
    if (unordered > 0 && history.lists.includes(list)) {
      found.push(`${nameOf(list)}: ${keys[unordered]} comes after ${keys[unordered - 1]}`);
    }
    return found;
  });

/**
 * Invariant: a list is as fresh as its mode says. Most recent: not older than any write that was acknowledged before
 * it began. Not older than, exact: by the version that was asked for.
 */
export const listIsFresh: Check = (history, log) => {
  const acknowledged = newestByTime(history, log);
  return allLists(history).flatMap((list) => {
    const version = list.pages[0]?.version ?? 0;
    if (list.mode === 'exact') return version === list.asked ? [] : [`${nameOf(list)}: not the version asked for`];
    if (list.mode === 'not older than') return version >= list.asked ? [] : [`${nameOf(list)}: older than asked for`];
    if (list.mode === 'any') return [];
    const newest = acknowledged(list.start);
    return version >= newest
      ? []
      : [`${nameOf(list)}: began at ${list.start.toFixed(1)}, when version ${newest} had been acknowledged`];
  });
};

/** The newest version that was acknowledged before a time; a deletion's is known from watches. */
function newestByTime({ operations }: History, log: ChangeLog): (time: number) => number {
  const known = operations.flatMap((operation) => {
    if (isAcknowledged(operation)) return [{ end: operation.end, version: operation.outcome.state.version }];
    const { outcome, key, end } = operation;
    if (outcome.kind !== 'deleted') return [];
    const version = deletionOf(log, key, outcome.uid);
    return version === undefined ? [] : [{ end, version }];
  });
  known.sort((a, b) => a.end - b.end);
  let newest = 0;
  const steps = known.map(({ end, version }) => {
    newest = Math.max(newest, version);
    return { end, newest };
  });
  return (time) => steps.findLast((step) => step.end < time)?.newest ?? 0;
}

/** The version at which a certain incarnation of an object went. */
export function deletionOf(log: ChangeLog, key: string, uid: string): number | undefined {
  return log.ofKey(key).find(({ version, state }) => state === undefined && log.before(key, version)?.uid === uid)
    ?.version;
}

/** Invariant: a list with a selector holds nothing that does not match. */
export const listIsFiltered: Check = (history) =>
  allLists(history).flatMap((list) =>
    list.pages
      .flatMap((page) => page.items)
      .filter((state) => !selects(list.selector, state))
      .map((state) => `${nameOf(list)}: holds ${describeState(state)}`),
  );
