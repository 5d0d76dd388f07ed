import { streamParts } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';

/** Invariant (Unique): no change is sent twice, neither on one stream nor after resuming on another. */
export const unique: Check = ({ watchers }) =>
  watchers.flatMap((watcher) => {
    const seen = new Set<number>();
    return streamParts(watcher).flatMap((part) =>
      part.events.flatMap((event) => {
        if (event.type === 'BOOKMARK') return [];
        const { version, key } = event.state;
        if (!seen.has(version)) {
          seen.add(version);
          return [];
        }
        return [`${watcher.name}: ${event.type} ${key} is sent a second time at ${version}`];
      }),
    );
  });
