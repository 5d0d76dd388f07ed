import { versionOf, type WatchEvent } from '../../history/history.ts';
import { legsOf } from '../../history/leg.ts';
import type { Check } from '../check.ts';

/** Invariant (Ordered): on a stream, and from a stream to the next of the same client, versions never go back. */
export const ordered: Check = ({ watchers }) =>
  watchers.flatMap((watcher) => {
    const events = legsOf(watcher).flatMap((leg) => leg.events);
    return events.flatMap((event, i) => {
      const before = events[i - 1];
      return before === undefined || versionOf(event) >= versionOf(before)
        ? []
        : [`${watcher.name}: ${describeEvent(event)} comes after ${describeEvent(before)}`];
    });
  });

export function describeEvent(event: WatchEvent): string {
  return `${event.type} ${event.type === 'BOOKMARK' ? '' : `${event.state.key} `}at ${versionOf(event)}`;
}
