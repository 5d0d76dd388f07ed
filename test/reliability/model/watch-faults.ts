import { isAcknowledged } from '../checks/real-time-order.ts';
import { ChangeLog } from '../history/change-log.ts';
import { expectedEvent } from '../history/expected-events.ts';
import { type History, type State, type Stream, versionOf, type WatchEvent, type Watcher } from '../history/history.ts';
import type { HistoryFault } from './history-fault.ts';

type ChangeEvent = Exclude<WatchEvent, { type: 'BOOKMARK' }>;

/** An event in the middle of a stream that resumes after a version, with its neighbours. */
interface Spot {
  readonly watcher: Watcher;
  readonly stream: Stream;
  readonly index: number;
  readonly before: WatchEvent;
  readonly event: WatchEvent;
  readonly after: WatchEvent;
}

function spots(history: History, fits: (spot: Spot) => boolean): Spot[] {
  return history.watchers.flatMap((watcher) =>
    watcher.streams
      .filter((stream) => stream.after !== undefined)
      .flatMap((stream) =>
        stream.events
          .map((event, index) => ({
            ...{ watcher, stream, index, event },
            before: stream.events[index - 1] as WatchEvent,
            after: stream.events[index + 1] as WatchEvent,
          }))
          .filter((spot) => spot.before !== undefined && spot.after !== undefined && fits(spot)),
      ),
  );
}

const isChange = (event: WatchEvent): event is ChangeEvent => event.type !== 'BOOKMARK';
const onlyChanges = (spot: Spot) => [spot.before, spot.event, spot.after].every(isChange);

/** Replaces one event that fits. */
function replaceOne(
  fits: (spot: Spot) => boolean,
  by: (spot: Spot, history: History) => WatchEvent[],
): HistoryFault['inject'] {
  return (history, random) => {
    const found = spots(history, fits);
    if (found.length === 0) throw new Error('no event in this history fits the fault');
    const spot = random.pick(found);
    spot.stream.events.splice(spot.index, 1, ...by(spot, history));
  };
}

function withState(event: WatchEvent, change: Partial<State>): WatchEvent {
  return isChange(event) ? { ...event, state: { ...event.state, ...change } } : event;
}

function resumedStreams(history: History): Array<{ watcher: Watcher; stream: Stream; earlier: Stream }> {
  return history.watchers.flatMap((watcher) =>
    watcher.streams.flatMap((stream, i) => {
      const earlier = watcher.streams[i - 1];
      const whole = earlier?.after !== undefined && earlier.events.every(isChange) && stream.events.every(isChange);
      return whole && stream.events.length > 1 ? [{ watcher, stream, earlier: earlier as Stream }] : [];
    }),
  );
}

/** The events with a further one that a watch without the selector would receive. */
function leak(spot: Spot, history: History): WatchEvent[] {
  const log = new ChangeLog(history);
  const [low, high] = [versionOf(spot.event), versionOf(spot.after)];
  const hidden = log.changes.find(
    (change) =>
      change.version > low &&
      change.version < high &&
      !expectedEvent(log, change, spot.watcher.selector) &&
      change.state,
  );
  return hidden?.state === undefined ? [spot.event] : [spot.event, { type: 'MODIFIED', state: hidden.state }];
}

function hides(history: History, spot: Spot): boolean {
  return spot.watcher.selector !== '' && onlyChanges(spot) && leak(spot, history).length > 1;
}

export const watchFaults: readonly HistoryFault[] = [
  { title: 'an event is dropped', breaks: 'Reliable', inject: replaceOne(onlyChanges, () => []) },
  {
    title: 'a deletion is dropped for all watchers',
    breaks: 'Reliable',
    inject: (history, random) => {
      const deleted = spots(history, ({ watcher, event }) => watcher.selector === '' && event.type === 'DELETED');
      const version = versionOf(random.pick(deleted).event);
      for (const { streams } of history.watchers) {
        for (const { events } of streams) {
          const index = events.findIndex((event) => event.type === 'DELETED' && event.state.version === version);
          if (index >= 0) events.splice(index, 1);
        }
      }
    },
  },
  {
    title: 'two events are swapped',
    breaks: 'Ordered',
    inject: (history, random) => {
      const { stream, index, before, event } = random.pick(spots(history, onlyChanges));
      stream.events.splice(index - 1, 2, event, before);
    },
  },
  { title: 'an event is duplicated', breaks: 'Unique', inject: replaceOne(onlyChanges, ({ event }) => [event, event]) },
  {
    title: 'an event has the version of its predecessor',
    breaks: 'versions are used once',
    inject: replaceOne(
      (spot) => onlyChanges(spot) && spot.event.type !== 'DELETED' && spot.before.type !== 'DELETED',
      ({ event, before }) => [withState(event, { version: versionOf(before) })],
    ),
  },
  {
    title: 'an event shows half of a change',
    breaks: 'Atomic',
    inject: (history, random) => {
      const versions = new Set(history.operations.filter(isAcknowledged).map(({ outcome }) => outcome.state.version));
      const fits = (spot: Spot) =>
        onlyChanges(spot) && spot.event.type === 'MODIFIED' && versions.has(versionOf(spot.event));
      replaceOne(fits, ({ event }) => [withState(event, { base: 'of-another-write' })])(history, random);
    },
  },
  {
    title: 'a bookmark precedes an event that it covers',
    breaks: 'Bookmarkable',
    inject: replaceOne(onlyChanges, ({ event }) => [
      { type: 'BOOKMARK', version: versionOf(event), initialEnd: false },
      event,
    ]),
  },
  {
    title: 'the initial events end a second time',
    breaks: 'Bookmarkable',
    inject: replaceOne(onlyChanges, ({ event }) => [
      event,
      { type: 'BOOKMARK', version: versionOf(event), initialEnd: true },
    ]),
  },
  {
    title: 'a DELETED event does not contain the last state',
    breaks: 'Filtered',
    inject: replaceOne(
      (spot) => onlyChanges(spot) && spot.event.type === 'DELETED',
      ({ event }) => [withState(event, { base: 'an-older-state' })],
    ),
  },
  {
    title: 'a DELETED event has the version of the last state',
    breaks: 'Filtered',
    inject: replaceOne(
      (spot) => onlyChanges(spot) && spot.event.type === 'DELETED',
      ({ event }, history) => {
        const last = new ChangeLog(history).before((event as ChangeEvent).state.key, versionOf(event));
        return [withState(event, { version: last?.version ?? 0 })];
      },
    ),
  },
  {
    title: 'an event shows an object that is not selected',
    breaks: 'Filtered',
    inject: (history, random) => replaceOne((spot) => hides(history, spot), leak)(history, random),
  },
  {
    title: 'an object that leaves the selection is sent as MODIFIED',
    breaks: 'Filtered',
    inject: replaceOne(
      (spot) => onlyChanges(spot) && spot.watcher.selector !== '' && spot.event.type === 'DELETED',
      ({ event }) => [{ ...(event as ChangeEvent), type: 'MODIFIED' }],
    ),
  },
  {
    title: 'a resumed stream omits its first event',
    breaks: 'Resumable',
    inject: (history, random) => void random.pick(resumedStreams(history)).stream.events.shift(),
  },
  {
    title: 'a resumed stream repeats the last event',
    breaks: 'Resumable',
    inject: (history, random) => {
      const { stream, earlier } = random.pick(resumedStreams(history));
      stream.events.unshift(earlier.events.at(-1) as WatchEvent);
    },
  },
  {
    title: 'a version inside the window is reported as expired',
    breaks: 'Resumable',
    inject: (history, random) => {
      random.pick(resumedStreams(history)).stream.expired = true;
    },
  },
  {
    title: 'changes between a list and its watch are missing',
    breaks: 'list-then-watch misses nothing',
    inject: (history) => {
      const watcher = history.watchers.find(({ list }) => list !== undefined) as Watcher;
      const { events } = watcher.streams[0] as Stream;
      events.splice(0, events.findLastIndex(isChange));
    },
  },
];
