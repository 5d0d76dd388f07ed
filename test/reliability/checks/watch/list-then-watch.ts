import type { ChangeLog } from '../../history/change-log.ts';
import { describeState, type State, type WatchEvent, type Watcher } from '../../history/history.ts';
import { type StreamPart, streamParts } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';

/**
 * Invariant (list-then-watch misses nothing): a client that lists and then watches from the list's version, as informers
 * do, always has the state at the version that it has reached, and each event fits this state.
 */
export const listThenWatch: Check = ({ watchers }, log) => watchers.flatMap((watcher) => replay(watcher, log));

function replay(watcher: Watcher, log: ChangeLog): string[] {
  const parts = streamParts(watcher);
  const held = new Map<string, State>();
  const found: string[] = [];
  for (const state of watcher.list?.pages.flatMap((page) => page.items) ?? []) held.set(state.key, state);
  for (const part of parts) {
    if (part.initial !== undefined) reset(held, part.initial);
    for (const event of part.events) found.push(...apply(held, event).map((text) => `${watcher.name}: ${text}`));
    found.push(...differences(watcher, held, part, log));
  }
  return found;
}

function reset(held: Map<string, State>, initial: readonly State[]): void {
  held.clear();
  for (const state of initial) held.set(state.key, state);
}

function apply(held: Map<string, State>, event: WatchEvent): string[] {
  if (event.type === 'BOOKMARK') return [];
  const { state, type } = event;
  const known = held.get(state.key);
  if (type === 'DELETED') held.delete(state.key);
  else held.set(state.key, state);
  const fits = type === 'ADDED' ? known === undefined : known !== undefined && known.uid === state.uid;
  return fits ? [] : [`${type} ${describeState(state)} was sent to a client that had ${describeState(known)}`];
}

function differences(watcher: Watcher, held: ReadonlyMap<string, State>, part: StreamPart, log: ChangeLog): string[] {
  const expected = log.stateAt(part.through, watcher.selector);
  const keys = new Set([...held.keys(), ...expected.keys()]);
  return [...keys]
    .filter((key) => describeState(held.get(key)) !== describeState(expected.get(key)))
    .map(
      (key) =>
        `${watcher.name}: at ${part.through} it has ${describeState(held.get(key))} instead of ${describeState(expected.get(key))}`,
    );
}
