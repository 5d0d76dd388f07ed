import type { ChangeLog } from '../history/change-log.ts';
import { describeState, type History, type List, type State, selects } from '../history/history.ts';
import { initialLists } from '../history/stream-part.ts';
import type { Check } from './check.ts';
import { isAcknowledged } from './real-time-order.ts';

function allLists(history: History): List[] {
  return [...history.lists, ...history.watchers.flatMap(initialLists)];
}

function nameOf({ client, mode, requested, selector, pages }: List): string {
  const what = `${mode} list of ${client}${requested === 0 ? '' : ` requested at ${requested}`}`;
  return `${what}${selector === '' ? '' : ` of ${selector}`} at ${pages[0]?.version} in ${pages.length} pages`;
}

/**
 * Invariant: a list contains exactly the state at its version: each object after its last change up to that version,
 * and nothing else. The expected state is replayed from all observed changes.
 */
export const listIsStateAtVersion: Check = (history, log) =>
  allLists(history).flatMap((list) => {
    const version = list.pages[0]?.version ?? 0;
    const items = list.pages.flatMap((page) => page.items);
    return differences(items, log.stateAt(version, list.selector), list.isComplete).map(
      (text) => `${nameOf(list)}: ${text}`,
    );
  });

/** Missing objects are only reported if the list was read completely. */
function differences(items: readonly State[], expected: ReadonlyMap<string, State>, isComplete: boolean): string[] {
  const seen = new Map(items.map((state) => [state.key, state]));
  const wrong = items
    .filter((state) => describeState(state) !== describeState(expected.get(state.key)))
    .map((state) => `contains ${describeState(state)} instead of ${describeState(expected.get(state.key))}`);
  const missing = isComplete ? [...expected.values()].filter((state) => !seen.has(state.key)) : [];
  return [...wrong, ...missing.map((state) => `lacks ${describeState(state)}`)];
}

/** Invariant: the pages of a list are one snapshot: one version, ascending keys, each object once. */
export const pagesAreOneSnapshot: Check = (history) =>
  allLists(history).flatMap((list) => {
    const found: string[] = [];
    const versions = new Set(list.pages.map((page) => page.version));
    if (versions.size > 1) found.push(`${nameOf(list)}: pages at the versions ${[...versions].join(', ')}`);
    const keys = list.pages.flatMap((page) => page.items.map((state) => state.key));
    const unordered = keys.findIndex((key, i) => i > 0 && key <= (keys[i - 1] as string));
    // the initial state of a watch has no promised order
    if (unordered > 0 && history.lists.includes(list)) {
      found.push(`${nameOf(list)}: ${keys[unordered]} comes after ${keys[unordered - 1]}`);
    }
    return found;
  });

/**
 * Invariant: a list is as fresh as its mode requires. Most recent: not older than any write that was acknowledged before
 * its start. Not older than, exact: compared with the requested version.
 */
export const listIsFresh: Check = (history, log) => {
  const acknowledged = newestByTime(history, log);
  return allLists(history).flatMap((list) => {
    const version = list.pages[0]?.version ?? 0;
    if (list.mode === 'exact')
      return version === list.requested ? [] : [`${nameOf(list)}: not at the requested version`];
    if (list.mode === 'not older than')
      return version >= list.requested ? [] : [`${nameOf(list)}: older than requested`];
    if (list.mode === 'any') return [];
    const newest = acknowledged(list.start);
    return version >= newest
      ? []
      : [`${nameOf(list)}: started at ${list.start.toFixed(1)}, after version ${newest} was acknowledged`];
  });
};

/** The newest version that was acknowledged before a time; versions of deletions are known from watches. */
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

/** The version at which the object with this uid was deleted. */
export function deletionOf(log: ChangeLog, key: string, uid: string): number | undefined {
  return log.ofKey(key).find(({ version, state }) => state === undefined && log.before(key, version)?.uid === uid)
    ?.version;
}

/** Invariant: a list with a selector contains only matching objects. */
export const listIsFiltered: Check = (history) =>
  allLists(history).flatMap((list) =>
    list.pages
      .flatMap((page) => page.items)
      .filter((state) => !selects(list.selector, state))
      .map((state) => `${nameOf(list)}: contains ${describeState(state)}`),
  );
