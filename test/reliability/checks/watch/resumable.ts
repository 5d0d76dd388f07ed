import { expectedBetween } from '../../history/expected-events.ts';
import { versionOf } from '../../history/history.ts';
import { legsOf } from '../../history/leg.ts';
import type { Check } from '../check.ts';
import { describeEvent } from './ordered.ts';

/**
 * Invariant (Resumable): a stream that follows version V begins with the first change after V that it selects, and
 * shows none up to V. Histories here are younger than the window, so that no version may be called too old.
 */
export const resumable: Check = ({ watchers }, log) =>
  watchers.flatMap((watcher) => [
    ...watcher.streams
      .filter((stream) => stream.expired)
      .map(({ after }) => `${watcher.name}: ${after} was called too old`),
    ...legsOf(watcher).flatMap(({ after, events, through }) => {
      const first = events.find((event) => event.type !== 'BOOKMARK');
      const old = events.find(
        (event) => versionOf(event) < after || (event.type !== 'BOOKMARK' && versionOf(event) === after),
      );
      if (old !== undefined) return [`${watcher.name}: after ${after} it was told ${describeEvent(old)}`];
      const [expected] = expectedBetween(log, watcher.selector, after, through);
      if (expected === undefined || first === undefined || versionOf(first) === expected.version) return [];
      return [
        `${watcher.name}: after ${after} it began with ${describeEvent(first)}, not with ${expected.type} ${expected.state.key} at ${expected.version}`,
      ];
    }),
  ]);
