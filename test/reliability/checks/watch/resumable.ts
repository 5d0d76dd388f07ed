import { expectedBetween } from '../../history/expected-events.ts';
import { versionOf } from '../../history/history.ts';
import { streamParts } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';
import { describeEvent } from './ordered.ts';

/**
 * Invariant (Resumable): a stream that resumes after version V begins with the first selected change after V, and sends
 * none up to V. The runs are shorter than the window, so no version may expire.
 */
export const resumable: Check = ({ watchers }, log) =>
  watchers.flatMap((watcher) => [
    ...watcher.streams
      .filter((stream) => stream.expired)
      .map(({ after }) => `${watcher.name}: ${after} was reported as expired`),
    ...streamParts(watcher).flatMap(({ after, events, through }) => {
      const first = events.find((event) => event.type !== 'BOOKMARK');
      const old = events.find(
        (event) => versionOf(event) < after || (event.type !== 'BOOKMARK' && versionOf(event) === after),
      );
      if (old !== undefined) return [`${watcher.name}: after ${after} it received ${describeEvent(old)}`];
      const [expected] = expectedBetween(log, watcher.selector, after, through);
      if (expected === undefined || first === undefined || versionOf(first) === expected.version) return [];
      return [
        `${watcher.name}: after ${after} it received ${describeEvent(first)} first, not with ${expected.type} ${expected.state.key} at ${expected.version}`,
      ];
    }),
  ]);
