import type { Random } from '@tidegate/testkit';
import { type List, type Stream, versionOf, type WatchEvent, type Watcher } from '../history/history.ts';
import { COLOURS } from '../load/choose.ts';
import { FIRST_VERSION, type ModelServer } from './model-server.ts';

/** For each selector one that lists first, and one that is sent the state first; all are cut now and then. */
export function generateWatchers(random: Random, server: ModelServer, lists: readonly List[]): Watcher[] {
  return ['', ...COLOURS].flatMap((selector) => {
    const early = lists.find((list) => list.selector === selector && list.mode === 'recent' && list.whole);
    const called = selector === '' ? 'all' : selector;
    return [
      follow(random, server, { name: `${called} from the state`, selector, list: undefined }),
      ...(early === undefined
        ? []
        : [follow(random, server, { name: `${called} from a list`, selector, list: early })]),
    ];
  });
}

type Who = Pick<Watcher, 'name' | 'selector' | 'list'>;

function follow(random: Random, server: ModelServer, who: Who): Watcher {
  const streams: Stream[] = [];
  let after = who.list?.pages[0]?.version;
  if (after === undefined) {
    // who selects all is there from the beginning: the versions of deletions are known from nobody else
    after = who.selector === '' ? FIRST_VERSION : FIRST_VERSION + random.below(100);
    const state = server.stateAt(after, who.selector).map((one): WatchEvent => ({ type: 'ADDED', state: one }));
    const end: WatchEvent = { type: 'BOOKMARK', version: after, initialEnd: true };
    streams.push({ after: undefined, start: 0, expired: false, events: [...state, end] });
  }
  const events = withBookmarks(random, server.eventsAfter(after, who.selector));
  for (let i = 0; i < events.length; ) {
    const count = 3 + random.below(60);
    const stream = { after, start: 0, expired: false, events: events.slice(i, i + count) };
    streams.push(stream);
    after = Math.max(after, ...stream.events.map(versionOf));
    i += count;
  }
  return { ...who, streams };
}

/** After an event, anywhere before the next one. */
function withBookmarks(random: Random, events: readonly WatchEvent[]): WatchEvent[] {
  return events.flatMap((event, i) => {
    if (!random.chance(0.05)) return [event];
    const low = versionOf(event);
    const next = events[i + 1];
    const version = next === undefined ? low : low + random.below(versionOf(next) - low);
    return [event, { type: 'BOOKMARK', version, initialEnd: false }];
  });
}
