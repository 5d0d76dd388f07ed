import { expectedBetween } from '../../history/expected-events.ts';
import { describeOperation } from '../../history/history.ts';
import { coverageOf } from '../../history/leg.ts';
import type { Check } from '../check.ts';
import { deletionOf } from '../lists.ts';

/**
 * Invariant (Reliable): nothing is left out. From where a client began to where it came, every change that it selects
 * was told; every client comes to the end; and every acknowledged deletion is told by the watches that select all.
 */
export const reliable: Check = (history, log) => {
  const found: string[] = [];
  for (const watcher of history.watchers) {
    const coverage = coverageOf(watcher);
    const { after, through, events } = coverage ?? { after: 0, through: 0, events: [] };
    if (through < history.endVersion) {
      found.push(`${watcher.name}: came to ${through} only, and not to the end at ${history.endVersion}`);
    }
    const told = new Set(events.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.state.version])));
    for (const { type, state, version } of expectedBetween(log, watcher.selector, after, through)) {
      if (!told.has(version)) {
        found.push(
          `${watcher.name}: never told ${type} ${state.key} at ${version}, known by ${log.at(version)?.source}`,
        );
      }
    }
  }
  const everythingWatched = history.watchers.some(({ selector }) => selector === '');
  const deletions = everythingWatched ? history.operations : [];
  for (const operation of deletions) {
    const { key, outcome } = operation;
    if (outcome.kind === 'deleted' && deletionOf(log, key, outcome.uid) === undefined) {
      found.push(`no watch told of ${describeOperation(operation)} of uid ${outcome.uid}`);
    }
  }
  return found;
};
