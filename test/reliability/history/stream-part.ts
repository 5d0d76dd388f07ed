import { type List, type State, type Stream, versionOf, type WatchEvent, type Watcher } from './history.ts';

/**
 * The events of a stream after its initial state, from the version `after` on. A stream that was interrupted during its
 * initial state has none; its client begins again.
 */
export interface StreamPart {
  readonly after: number;
  readonly events: readonly WatchEvent[];
  /** all changes up to this version must have been sent */
  readonly through: number;
  /** the state with which the same stream began */
  readonly initial: readonly State[] | undefined;
  readonly start: number;
}

export function streamParts(watcher: Watcher): StreamPart[] {
  return watcher.streams.flatMap((stream) => {
    if (stream.after !== undefined) return [streamPart(stream, stream.after, stream.events)];
    const end = stream.events.findIndex((event) => event.type === 'BOOKMARK' && event.initialEnd);
    if (end < 0) return [];
    const initial = stream.events.slice(0, end).flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.state]));
    const after = versionOf(stream.events[end] as WatchEvent);
    return [streamPart(stream, after, stream.events.slice(end + 1), initial)];
  });
}

function streamPart(
  stream: Stream,
  after: number,
  events: readonly WatchEvent[],
  initial?: readonly State[],
): StreamPart {
  return { after, events, initial, start: stream.start, through: Math.max(after, ...events.map(versionOf)) };
}

/** All events of a watcher, from its state to its end. */
export interface Coverage {
  readonly after: number;
  readonly through: number;
  readonly events: readonly WatchEvent[];
}

export function coverageOf(watcher: Watcher): Coverage | undefined {
  const parts = streamParts(watcher);
  const first = parts[0];
  if (first === undefined) return undefined;
  return {
    after: first.after,
    through: Math.max(...parts.map((part) => part.through)),
    events: parts.flatMap((part) => part.events),
  };
}

/** The initial states of streams as most recent lists, for which the same rules hold. */
export function initialLists(watcher: Watcher): List[] {
  return streamParts(watcher).flatMap(({ after, initial, start }) =>
    initial === undefined
      ? []
      : [
          {
            client: `watch ${watcher.name}`,
            mode: 'recent' as const,
            requested: 0,
            selector: watcher.selector,
            start,
            pages: [{ version: after, items: initial }],
            isComplete: true,
          },
        ],
  );
}
