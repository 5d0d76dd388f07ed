import type { Random } from '@tidegate/testkit';
import {
  type OperationRequest,
  type Outcome,
  type Selector,
  type State,
  selects,
  type WatchEvent,
} from '../history/history.ts';

interface StateChange {
  readonly version: number;
  readonly before: State | undefined;
  readonly after: State | undefined;
}

export const FIRST_VERSION = 100;

/** A minimal server that keeps every promise; the checks are tested with its histories. */
export class ModelServer {
  readonly #random: Random;
  readonly #states = new Map<string, State>();
  readonly #changes: StateChange[] = [];
  version = FIRST_VERSION;
  #uids = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  execute(key: string, request: OperationRequest): Outcome {
    const now = this.#states.get(key);
    if (request.kind === 'create') return now === undefined ? this.#create(key, request) : { kind: 'exists' };
    if (now === undefined) return { kind: 'absent' };
    switch (request.kind) {
      case 'get':
        return { kind: 'state', state: now };
      case 'update':
        if (request.expected !== now.version) return { kind: 'conflict' };
        return this.#put(now, { ...now, base: request.token, patch: '', colour: request.colour });
      case 'patch':
        return this.#put(now, { ...now, patch: request.token, colour: request.colour ?? now.colour });
      case 'delete':
        this.#changes.push({ version: this.#nextVersion(), before: now, after: undefined });
        this.#states.delete(key);
        return { kind: 'deleted', uid: now.uid };
    }
  }

  /** The state at a version, in order of keys. */
  stateAt(version: number, selector: Selector): State[] {
    const states = new Map<string, State>();
    for (const change of this.#changes) {
      if (change.version > version) break;
      if (change.after !== undefined) states.set(change.after.key, change.after);
      else if (change.before !== undefined) states.delete(change.before.key);
    }
    return [...states.values()].filter((state) => selects(selector, state)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  eventsAfter(version: number, selector: Selector): WatchEvent[] {
    return this.#changes.flatMap(({ version: at, before, after }): WatchEvent[] => {
      if (at <= version) return [];
      if (selects(selector, after)) {
        return [{ type: selects(selector, before) ? 'MODIFIED' : 'ADDED', state: after as State }];
      }
      return selects(selector, before) ? [{ type: 'DELETED', state: { ...(before as State), version: at } }] : [];
    });
  }

  #create(key: string, { token, colour }: OperationRequest & { kind: 'create' }): Outcome {
    return this.#put(undefined, { key, uid: `uid-${++this.#uids}`, version: 0, base: token, patch: '', colour });
  }

  #put(before: State | undefined, next: State): Outcome {
    const after = { ...next, version: this.#nextVersion() };
    this.#changes.push({ version: after.version, before, after });
    this.#states.set(after.key, after);
    return { kind: 'state', state: after };
  }

  /** Skips versions, because other resources use versions, too. */
  #nextVersion(): number {
    this.version += 1 + this.#random.below(3);
    return this.version;
  }
}
