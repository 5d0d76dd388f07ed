import { contentOf, type History, type List, type State, selects } from './history.ts';
import { streamParts } from './stream-part.ts';

/** One change, derived from all observations. */
export interface Change {
  readonly version: number;
  readonly key: string;
  /** undefined for a deletion */
  readonly state: State | undefined;
  /** the first observation of it */
  readonly source: string;
}

/**
 * The changes of a run by version, derived from every reply and every event.
 *
 * Acknowledgements have priority, then reads, lists and watches. Observations that differ are kept in `contradictions`.
 * The version of a deletion is known from watches only, because the API's reply does not contain it.
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

  /** The state that a write created, if a client saw it. */
  createdBy(token: string): State | undefined {
    return this.#byToken.get(token);
  }

  /** The changes of a key in order of versions. */
  ofKey(key: string): readonly Change[] {
    return this.#byKey.get(key) ?? [];
  }

  /** The state of a key just before a version. */
  before(key: string, version: number): State | undefined {
    const changes = this.ofKey(key);
    return changes[indexAfter(changes, version - Number.EPSILON * version) - 1]?.state;
  }

  /** The state of a key at a version. */
  keyAt(key: string, version: number): State | undefined {
    const changes = this.ofKey(key);
    return changes[indexAfter(changes, version) - 1]?.state;
  }

  /** The expected contents of a list at a version. */
  stateAt(version: number, selector = ''): Map<string, State> {
    const states = new Map<string, State>();
    for (const [key, changes] of this.#byKey) {
      const state = changes[indexAfter(changes, version) - 1]?.state;
      if (state !== undefined && selects(selector, state)) states.set(key, state);
    }
    return states;
  }

  /** The changes after one version and through another. */
  between(after: number, through: number): readonly Change[] {
    return this.changes.slice(indexAfter(this.changes, after), indexAfter(this.changes, through));
  }

  #add(change: Change): void {
    const known = this.#byVersion.get(change.version);
    if (known === undefined) {
      this.#byVersion.set(change.version, change);
      const { state } = change;
      if (state !== undefined) this.#byToken.set(state.patch === '' ? state.base : state.patch, state);
    } else if (textOf(known) !== textOf(change)) {
      this.contradictions.push(
        `version ${change.version}: ${known.source} shows ${textOf(known)}, ${change.source} shows ${textOf(change)}`,
      );
    }
  }
}

/** The index of the first change above a version. */
function indexAfter(changes: readonly Change[], version: number): number {
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

interface Observation {
  readonly source: string;
  readonly state: State;
}

function* statesOf(history: History): Generator<Observation> {
  const writesFirst = [...history.operations].sort(
    (a, b) => Number(a.request.kind === 'get') - Number(b.request.kind === 'get'),
  );
  for (const { client, request, outcome } of writesFirst) {
    if (outcome.kind === 'state') yield { source: `${request.kind} of ${client}`, state: outcome.state };
  }
  for (const { client, state } of history.oldReads) {
    if (state !== undefined) yield { source: `old read of ${client}`, state };
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

/** Only from watches without a selector: elsewhere DELETED may be an update that left the selection. */
function* deletionsOf(history: History): Generator<Observation> {
  for (const watcher of history.watchers.filter(({ selector }) => selector === '')) {
    for (const part of streamParts(watcher)) {
      for (const event of part.events) {
        if (event.type === 'DELETED') yield { source: `watch ${watcher.name}`, state: event.state };
      }
    }
  }
}

export function itemsOf(list: List): State[] {
  return list.pages.flatMap((page) => page.items);
}
