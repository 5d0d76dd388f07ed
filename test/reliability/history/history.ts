/**
 * The requests of all clients and the answers, which are the input of all checks. Times are milliseconds of one clock.
 *
 * Every write has a unique token, so that each state can be traced to its write. A create or an update sets `base` and
 * empties `patch`; a patch sets `patch` and keeps `base`, so that a patch of a stale state is visible.
 */
export interface History {
  readonly operations: Operation[];
  readonly lists: List[];
  readonly oldReads: OldRead[];
  readonly watchers: Watcher[];
  /** the version of the last write; every watcher must reach it */
  endVersion: number;
}

/** An object as a client saw it. */
export interface State {
  readonly key: string;
  readonly uid: string;
  readonly version: number;
  readonly base: string;
  readonly patch: string;
  /** the label that selectors use */
  readonly colour: string;
}

export type OperationRequest =
  | { readonly kind: 'create'; readonly token: string; readonly colour: string }
  | { readonly kind: 'update'; readonly token: string; readonly colour: string; readonly expected: number }
  /** without a colour, the patch keeps the current one */
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
  | { readonly kind: 'rejected' }
  /** it may have taken effect, may take effect later, or never */
  | { readonly kind: 'unknown' };

export interface Operation {
  readonly client: string;
  readonly key: string;
  readonly request: OperationRequest;
  readonly start: number;
  /** infinite if the outcome is unknown */
  readonly end: number;
  readonly outcome: Outcome;
}

/** The colour that a client selects; '' selects all. */
export type Selector = string;

export interface List {
  readonly client: string;
  readonly mode: 'recent' | 'any' | 'not older than' | 'exact';
  /** the requested version */
  readonly requested: number;
  readonly selector: Selector;
  readonly start: number;
  /** one page, or several if there is a limit */
  readonly pages: readonly Page[];
  /** false if a later page could not be read */
  readonly isComplete: boolean;
}

/** A get that accepts an old state. */
export interface OldRead {
  readonly client: string;
  readonly key: string;
  /** the minimum version; 0 accepts any */
  readonly requested: number;
  /** undefined if the object was absent */
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
  /** the version after which it resumes; undefined if it begins with the state */
  readonly after: number | undefined;
  readonly start: number;
  readonly events: WatchEvent[];
  /** whether the server answered 410 */
  expired: boolean;
}

/** A client that watches a collection: it begins with a list or the state; each stream resumes where the last one ended. */
export interface Watcher {
  readonly name: string;
  readonly selector: Selector;
  /** undefined if the first stream begins with the state */
  readonly list: List | undefined;
  readonly streams: Stream[];
}

export function versionOf(event: WatchEvent): number {
  return event.type === 'BOOKMARK' ? event.version : event.state.version;
}

export function selects(selector: Selector, state: State | undefined): boolean {
  return state !== undefined && (selector === '' || state.colour === selector);
}

/** The state without its version, which a deletion changes. */
export function contentOf(state: State): string {
  return `${state.key} uid=${state.uid} base=${state.base} patch=${state.patch} colour=${state.colour}`;
}

export function describeState(state: State | undefined): string {
  return state === undefined ? 'nothing' : `${contentOf(state)} at ${state.version}`;
}

export function describeOperation(operation: Operation): string {
  const { client, key, request, start, end, outcome } = operation;
  const words = Object.entries(request).map(([name, value]) => (name === 'kind' ? value : `${name}=${value}`));
  const answer = outcome.kind === 'state' ? describeState(outcome.state) : outcome.kind;
  return `${client} [${start.toFixed(1)}, ${end.toFixed(1)}] ${words.join(' ')} ${key} -> ${answer}`;
}
