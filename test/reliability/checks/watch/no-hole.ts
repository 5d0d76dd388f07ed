import type { ChangeLog } from '../../history/change-log.ts';
import { describeState, type State, type WatchEvent, type Watcher } from '../../history/history.ts';
import { type Leg, legsOf } from '../../history/leg.ts';
import type { Check } from '../check.ts';

/**
 * Invariant (list-then-watch has no hole): a client that lists and then watches from the list's version, as informers
 * do, holds at any moment the state at the version that it came to; each event fits what the client holds.
 */
export const noHole: Check = ({ watchers }, log) => watchers.flatMap((watcher) => replay(watcher, log));

function replay(watcher: Watcher, log: ChangeLog): string[] {
  const legs = legsOf(watcher);
  const held = new Map<string, State>();
  const found: string[] = [];
  for (const state of watcher.list?.pages.flatMap((page) => page.items) ?? []) held.set(state.key, state);
  for (const leg of legs) {
    if (leg.initial !== undefined) beginAnew(held, leg.initial);
    for (const event of leg.events) found.push(...apply(held, event).map((text) => `${watcher.name}: ${text}`));
    found.push(...differences(watcher, held, leg, log));
  }
  return found;
}

function beginAnew(held: Map<string, State>, initial: readonly State[]): void {
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
  return fits ? [] : [`${type} ${describeState(state)} came to a client that held ${describeState(known)}`];
}

function differences(watcher: Watcher, held: ReadonlyMap<string, State>, leg: Leg, log: ChangeLog): string[] {
  const expected = log.stateAt(leg.through, watcher.selector);
  const keys = new Set([...held.keys(), ...expected.keys()]);
  return [...keys]
    .filter((key) => describeState(held.get(key)) !== describeState(expected.get(key)))
    .map(
      (key) =>
        `${watcher.name}: at ${leg.through} it holds ${describeState(held.get(key))} instead of ${describeState(expected.get(key))}`,
    );
}
