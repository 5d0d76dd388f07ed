/**
 * What clients did and what they were told: all that the checks know. Times are milliseconds of one clock.
 *
 * Every write carries a token of its own, so that each state can be traced to the write that made it. A create or an
 * update sets `base` and empties `patch`; a patch sets `patch` and keeps `base`, so that a patch of a stale state shows.
 */
export interface History {
  readonly operations: Operation[];
  readonly lists: List[];
  readonly oldReads: OldRead[];
  readonly watchers: Watcher[];
  /** the version of the last write of all; every watcher that was not given up has come to it */
  endVersion: number;
}

/** An object as a client saw it. */
export interface State {
  readonly key: string;
  readonly uid: string;
  readonly version: number;
  readonly base: string;
  readonly patch: string;
  /** the label that selectors look at */
  readonly colour: string;
}

export type Ask =
  | { readonly kind: 'create'; readonly token: string; readonly colour: string }
  | { readonly kind: 'update'; readonly token: string; readonly colour: string; readonly expected: number }
  /** without a colour it keeps the one that is there */
  | { readonly kind: 'patch'; readonly token: string; readonly colour?: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'get' };

export type Outcome =
  | { readonly kind: 'state'; readonly state: State }
  | { readonly kind: 'deleted'; readonly uid: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'conflict' }
  /** the server promised that nothing happened */
  | { readonly kind: 'refused' }
  /** it may have happened, or happen later, or never */
  | { readonly kind: 'unknown' };

export interface Operation {
  readonly client: string;
  readonly key: string;
  readonly ask: Ask;
  readonly start: number;
  /** of an unknown outcome: never */
  readonly end: number;
  readonly outcome: Outcome;
}

/** The colour that a client selects; '' selects all. */
export type Selector = string;

export interface List {
  readonly client: string;
  readonly mode: 'recent' | 'any' | 'not older than' | 'exact';
  /** the version that was asked for */
  readonly asked: number;
  readonly selector: Selector;
  readonly start: number;
  /** one, or as many as the limit made */
  readonly pages: readonly Page[];
  /** false where a later page was not given */
  readonly whole: boolean;
}

/** A get that is content with a state of the past. */
export interface OldRead {
  readonly client: string;
  readonly key: string;
  /** not older than this version; 0: any */
  readonly asked: number;
  /** undefined: it was not there */
  readonly state: State | undefined;
}

export interface Page {
  readonly version: number;
  readonly items: readonly State[];
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type WatchEvent =
  | { readonly type: EventType; readonly state: State }
  | { readonly type: 'BOOKMARK'; readonly version: number; readonly initialEnd: boolean };

/** One response to a watch. */
export interface Stream {
  /** it goes on after this version; undefined: it begins with the state */
  readonly after: number | undefined;
  readonly start: number;
  readonly events: WatchEvent[];
  /** the server no longer had the history */
  expired: boolean;
}

/** A client that follows a collection: a list or a state first, then streams, each from where the one before ended. */
export interface Watcher {
  readonly name: string;
  readonly selector: Selector;
  /** undefined: the first stream begins with the state */
  readonly list: List | undefined;
  readonly streams: Stream[];
}

export function versionOf(event: WatchEvent): number {
  return event.type === 'BOOKMARK' ? event.version : event.state.version;
}

export function selects(selector: Selector, state: State | undefined): boolean {
  return state !== undefined && (selector === '' || state.colour === selector);
}

/** Everything but the version, which a deletion changes. */
export function contentOf(state: State): string {
  return `${state.key} uid=${state.uid} base=${state.base} patch=${state.patch} colour=${state.colour}`;
}

export function describeState(state: State | undefined): string {
  return state === undefined ? 'nothing' : `${contentOf(state)} at ${state.version}`;
}

export function describeOperation(operation: Operation): string {
  const { client, key, ask, start, end, outcome } = operation;
  const asked = Object.entries(ask).map(([name, value]) => (name === 'kind' ? value : `${name}=${value}`));
  const told = outcome.kind === 'state' ? describeState(outcome.state) : outcome.kind;
  return `${client} [${start.toFixed(1)}, ${end.toFixed(1)}] ${asked.join(' ')} ${key} -> ${told}`;
}
