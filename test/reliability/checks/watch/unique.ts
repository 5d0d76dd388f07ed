import { legsOf } from '../../history/leg.ts';
import type { Check } from '../check.ts';

/** Invariant (Unique): no change is told twice, neither on one stream nor after going on with another. */
export const unique: Check = ({ watchers }) =>
  watchers.flatMap((watcher) => {
    const seen = new Set<number>();
    return legsOf(watcher).flatMap((leg) =>
      leg.events.flatMap((event) => {
        if (event.type === 'BOOKMARK') return [];
        const { version, key } = event.state;
        if (!seen.has(version)) {
          seen.add(version);
          return [];
        }
        return [`${watcher.name}: ${event.type} ${key} comes a second time at ${version}`];
      }),
    );
  });
