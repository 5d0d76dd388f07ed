import { versionOf, type WatchEvent } from '../../history/history.ts';
import { streamParts } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';

/** Invariant (Ordered): versions never decrease, on a stream and across the streams of one client. */
export const ordered: Check = ({ watchers }) =>
  watchers.flatMap((watcher) => {
    const events = streamParts(watcher).flatMap((part) => part.events);
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
