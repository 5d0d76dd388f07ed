import { type List, type State, type Stream, versionOf, type WatchEvent, type Watcher } from './history.ts';

/**
 * A stream after its state was sent: it follows `after`. A stream that was cut while its state was being sent has no
 * leg: its client begins again.
 */
export interface Leg {
  readonly after: number;
  readonly events: readonly WatchEvent[];
  /** everything up to here was promised to have been sent */
  readonly through: number;
  /** the state came first on the same stream */
  readonly initial: readonly State[] | undefined;
  readonly start: number;
}

export function legsOf(watcher: Watcher): Leg[] {
  return watcher.streams.flatMap((stream) => {
    if (stream.after !== undefined) return [legOf(stream, stream.after, stream.events)];
    const end = stream.events.findIndex((event) => event.type === 'BOOKMARK' && event.initialEnd);
    if (end < 0) return [];
    const initial = stream.events.slice(0, end).flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.state]));
    const after = versionOf(stream.events[end] as WatchEvent);
    return [legOf(stream, after, stream.events.slice(end + 1), initial)];
  });
}

function legOf(stream: Stream, after: number, events: readonly WatchEvent[], initial?: readonly State[]): Leg {
  return { after, events, initial, start: stream.start, through: Math.max(after, ...events.map(versionOf)) };
}

/** What a watcher was sent from its state to its end. */
export interface Coverage {
  readonly after: number;
  readonly through: number;
  readonly events: readonly WatchEvent[];
}

export function coverageOf(watcher: Watcher): Coverage | undefined {
  const legs = legsOf(watcher);
  const first = legs[0];
  if (first === undefined) return undefined;
  return {
    after: first.after,
    through: Math.max(...legs.map((leg) => leg.through)),
    events: legs.flatMap((leg) => leg.events),
  };
}

/** The states that came first on streams, as most recent lists: they are held to the same rules. */
export function initialLists(watcher: Watcher): List[] {
  return legsOf(watcher).flatMap(({ after, initial, start }) =>
    initial === undefined
      ? []
      : [
          {
            client: `watch ${watcher.name}`,
            mode: 'recent' as const,
            asked: 0,
            selector: watcher.selector,
            start,
            pages: [{ version: after, items: initial }],
            whole: true,
          },
        ],
  );
}
