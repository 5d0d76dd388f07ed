import { expectedBetween } from '../../history/expected-events.ts';
import { type Stream, versionOf, type Watcher } from '../../history/history.ts';
import { streamParts } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';
import { describeEvent } from './ordered.ts';

/**
 * Invariant (Bookmarkable): a bookmark at V means that every selected change up to V was sent before it, so none up to
 * V follows. The bookmark that ends the initial events is sent once, and only on a stream that begins with them.
 */
export const bookmarkable: Check = ({ watchers }, log) =>
  watchers.flatMap((watcher) => [
    ...watcher.streams.flatMap((stream) => wrongEnds(watcher, stream)),
    ...streamParts(watcher).flatMap(({ after, events }) =>
      events.flatMap((bookmark, i) => {
        if (bookmark.type !== 'BOOKMARK') return [];
        const sent = new Set(events.slice(0, i).map(versionOf));
        const missing = expectedBetween(log, watcher.selector, after, bookmark.version).find(
          (e) => !sent.has(e.version),
        );
        const late = events
          .slice(i + 1)
          .find((event) => event.type !== 'BOOKMARK' && versionOf(event) <= bookmark.version);
        return [
          ...(missing === undefined
            ? []
            : [`${missing.type} ${missing.state.key} at ${missing.version} was not sent before it`]),
          ...(late === undefined ? [] : [`${describeEvent(late)} followed`]),
        ].map((text) => `${watcher.name}: bookmark at ${bookmark.version}, but ${text}`);
      }),
    ),
  ]);

function wrongEnds({ name }: Watcher, { after, events }: Stream): string[] {
  const ends = events.filter((event) => event.type === 'BOOKMARK' && event.initialEnd).length;
  const allowed = after === undefined ? 1 : 0;
  return ends <= allowed ? [] : [`${name}: initial events ended ${ends} times on a stream that allows ${allowed}`];
}
