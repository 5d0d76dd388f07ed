import type { Random } from '@tidegate/testkit';
import { type List, type Stream, versionOf, type WatchEvent, type Watcher } from '../history/history.ts';
import { COLOURS } from '../load/choose.ts';
import { FIRST_VERSION, type ModelServer } from './model-server.ts';

/** For each selector one watcher that begins with a list and one that begins with the state; all are interrupted at times. */
export function generateWatchers(random: Random, server: ModelServer, lists: readonly List[]): Watcher[] {
  return ['', ...COLOURS].flatMap((selector) => {
    const early = lists.find((list) => list.selector === selector && list.mode === 'recent' && list.isComplete);
    const label = selector === '' ? 'all' : selector;
    return [
      follow(random, server, { name: `${label} from the state`, selector, list: undefined }),
      ...(early === undefined ? [] : [follow(random, server, { name: `${label} from a list`, selector, list: early })]),
    ];
  });
}

type WatcherOptions = Pick<Watcher, 'name' | 'selector' | 'list'>;

function follow(random: Random, server: ModelServer, options: WatcherOptions): Watcher {
  const streams: Stream[] = [];
  let after = options.list?.pages[0]?.version;
  if (after === undefined) {
    // a watcher without a selector must see everything, because only it knows the versions of deletions
    after = options.selector === '' ? FIRST_VERSION : FIRST_VERSION + random.below(100);
    const state = server.stateAt(after, options.selector).map((one): WatchEvent => ({ type: 'ADDED', state: one }));
    const end: WatchEvent = { type: 'BOOKMARK', version: after, initialEnd: true };
    streams.push({ after: undefined, start: 0, expired: false, events: [...state, end] });
  }
  const events = withBookmarks(random, server.eventsAfter(after, options.selector));
  for (let i = 0; i < events.length; ) {
    const count = 3 + random.below(60);
    const stream = { after, start: 0, expired: false, events: events.slice(i, i + count) };
    streams.push(stream);
    after = Math.max(after, ...stream.events.map(versionOf));
    i += count;
  }
  return { ...options, streams };
}

/** Adds bookmarks after some events, with a version below the next event. */
function withBookmarks(random: Random, events: readonly WatchEvent[]): WatchEvent[] {
  return events.flatMap((event, i) => {
    if (!random.chance(0.05)) return [event];
    const low = versionOf(event);
    const next = events[i + 1];
    const version = next === undefined ? low : low + random.below(versionOf(next) - low);
    return [event, { type: 'BOOKMARK', version, initialEnd: false }];
  });
}
