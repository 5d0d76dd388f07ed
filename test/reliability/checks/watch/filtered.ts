import { expectedEvent } from '../../history/expected-events.ts';
import { contentOf, describeState } from '../../history/history.ts';
import { legsOf } from '../../history/leg.ts';
import type { Check } from '../check.ts';

/**
 * Invariant (Filtered): a watch shows what its selector sees. An object that comes into the selection is ADDED, one
 * that leaves it is DELETED, one that was never in it is not told. A DELETED holds the last state before, under the
 * version of the change.
 */
export const filtered: Check = ({ watchers }, log) =>
  watchers.flatMap((watcher) =>
    legsOf(watcher).flatMap((leg) =>
      leg.events.flatMap((event) => {
        if (event.type === 'BOOKMARK') return [];
        const { version } = event.state;
        const change = log.at(version);
        const expected = change === undefined ? undefined : expectedEvent(log, change, watcher.selector);
        const told = `${event.type} ${describeState(event.state)}`;
        if (expected === undefined) return [`${watcher.name}: told ${told}, which it does not select`];
        return event.type === expected.type && contentOf(event.state) === contentOf(expected.state)
          ? []
          : [`${watcher.name}: told ${told} instead of ${expected.type} ${contentOf(expected.state)} at ${version}`];
      }),
    ),
  );
