import { contentOf, type History, type List, type State, selects } from './history.ts';
import { legsOf } from './leg.ts';

/** One change as all observers together know it. */
export interface Change {
  readonly version: number;
  readonly key: string;
  /** undefined: a deletion */
  readonly state: State | undefined;
  /** who told of it first */
  readonly source: string;
}

/**
 * The changes of a run by version, put together from every reply and every event.
 *
 * What acknowledgements say counts first, then reads, lists and watches. Whoever says something else about a version
 * is kept in `contradictions`. A deletion's version is known from watches only, as the API's reply does not tell it.
 */
export class ChangeLog {
  readonly contradictions: string[] = [];
  readonly changes: readonly Change[];
  readonly #byVersion = new Map<number, Change>();
  readonly #byKey = new Map<string, Change[]>();
  readonly #byToken = new Map<string, State>();

  constructor(history: History) {
    for (const { source, state } of statesOf(history))
      this.#add({ version: state.version, key: state.key, state, source });
    for (const { source, state } of deletionsOf(history)) {
      this.#add({ version: state.version, key: state.key, state: undefined, source });
    }
    this.changes = [...this.#byVersion.values()].sort((a, b) => a.version - b.version);
    for (const change of this.changes) {
      const ofKey = this.#byKey.get(change.key) ?? [];
      ofKey.push(change);
      this.#byKey.set(change.key, ofKey);
    }
  }

  at(version: number): Change | undefined {
    return this.#byVersion.get(version);
  }

  /** The state that a write made, when anybody saw it. */
  madeBy(token: string): State | undefined {
    return this.#byToken.get(token);
  }

  /** In order of versions. */
  ofKey(key: string): readonly Change[] {
    return this.#byKey.get(key) ?? [];
  }

  /** What a key was just before a version. */
  before(key: string, version: number): State | undefined {
    const changes = this.ofKey(key);
    return changes[placeAfter(changes, version - Number.EPSILON * version) - 1]?.state;
  }

  /** What a key was at a version. */
  keyAt(key: string, version: number): State | undefined {
    const changes = this.ofKey(key);
    return changes[placeAfter(changes, version) - 1]?.state;
  }

  /** What a list at a version must hold. */
  stateAt(version: number, selector = ''): Map<string, State> {
    const states = new Map<string, State>();
    for (const [key, changes] of this.#byKey) {
      const state = changes[placeAfter(changes, version) - 1]?.state;
      if (state !== undefined && selects(selector, state)) states.set(key, state);
    }
    return states;
  }

  /** After one version and through another. */
  between(after: number, through: number): readonly Change[] {
    return this.changes.slice(placeAfter(this.changes, after), placeAfter(this.changes, through));
  }

  #add(change: Change): void {
    const known = this.#byVersion.get(change.version);
    if (known === undefined) {
      this.#byVersion.set(change.version, change);
      const { state } = change;
      if (state !== undefined) this.#byToken.set(state.patch === '' ? state.base : state.patch, state);
    } else if (textOf(known) !== textOf(change)) {
      this.contradictions.push(
        `version ${change.version}: ${known.source} says ${textOf(known)}, ${change.source} says ${textOf(change)}`,
      );
    }
  }
}

/** Where the changes above a version begin. */
function placeAfter(changes: readonly Change[], version: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle] as Change).version <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}

function textOf({ key, state }: Change): string {
  return state === undefined ? `deletion of ${key}` : contentOf(state);
}

interface Told {
  readonly source: string;
  readonly state: State;
}

function* statesOf(history: History): Generator<Told> {
  const writesFirst = [...history.operations].sort(
    (a, b) => Number(a.ask.kind === 'get') - Number(b.ask.kind === 'get'),
  );
  for (const { client, ask, outcome } of writesFirst) {
    if (outcome.kind === 'state') yield { source: `${ask.kind} of ${client}`, state: outcome.state };
  }
  for (const { client, state } of history.oldReads) {
    if (state !== undefined) yield { source: `read of the past of ${client}`, state };
  }
  for (const list of history.lists)
    for (const state of itemsOf(list)) yield { source: `list of ${list.client}`, state };
  for (const watcher of history.watchers) {
    for (const state of watcher.streams.flatMap((stream) => stream.events)) {
      if (state.type !== 'BOOKMARK' && state.type !== 'DELETED')
        yield { source: `watch ${watcher.name}`, state: state.state };
    }
  }
}

/** Only what watches without a selector say: elsewhere DELETED may be an update that left the selection. */
function* deletionsOf(history: History): Generator<Told> {
  for (const watcher of history.watchers.filter(({ selector }) => selector === '')) {
    for (const leg of legsOf(watcher)) {
      for (const event of leg.events) {
        if (event.type === 'DELETED') yield { source: `watch ${watcher.name}`, state: event.state };
      }
    }
  }
}

export function itemsOf(list: List): State[] {
  return list.pages.flatMap((page) => page.items);
}
