import { expectedBetween } from '../../history/expected-events.ts';
import { describeOperation } from '../../history/history.ts';
import { coverageOf } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';
import { deletionOf } from '../lists.ts';

/**
 * Invariant (Reliable): no event is missing. Between the start and the end of a watcher every selected change was sent;
 * every watcher reaches the end; and every acknowledged deletion was sent to the watchers without a selector.
 */
export const reliable: Check = (history, log) => {
  const found: string[] = [];
  for (const watcher of history.watchers) {
    const coverage = coverageOf(watcher);
    const { after, through, events } = coverage ?? { after: 0, through: 0, events: [] };
    if (through < history.endVersion) {
      found.push(`${watcher.name}: reached only ${through}, not the end at ${history.endVersion}`);
    }
    const sent = new Set(events.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.state.version])));
    for (const { type, state, version } of expectedBetween(log, watcher.selector, after, through)) {
      if (!sent.has(version)) {
        found.push(
          `${watcher.name}: never received ${type} ${state.key} at ${version}, known from ${log.at(version)?.source}`,
        );
      }
    }
  }
  const everythingWatched = history.watchers.some(({ selector }) => selector === '');
  const deletions = everythingWatched ? history.operations : [];
  for (const operation of deletions) {
    const { key, outcome } = operation;
    if (outcome.kind === 'deleted' && deletionOf(log, key, outcome.uid) === undefined) {
      found.push(`no watch sent ${describeOperation(operation)} of uid ${outcome.uid}`);
    }
  }
  return found;
};
