import type { Random } from '@tidegate/testkit';
import type { List, OperationRequest, State } from '../history/history.ts';

/** The states that the clients of a run have seen; provides versions that are or were recently current. */
export class Knowledge {
  readonly #states = new Map<string, State>();
  newest = 0;

  observe(state: State): void {
    this.#states.set(state.key, state);
    this.newest = Math.max(this.newest, state.version);
  }

  of(key: string): State | undefined {
    return this.#states.get(key);
  }
}

export const COLOURS = ['red', 'blue'] as const;

/** A small number of keys, so that clients conflict. */
export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `r-${i}`);
}

/** The next operation of a client. Its token is unique in the run. */
export function chooseRequest(random: Random, known: State | undefined, token: string): OperationRequest {
  const colour = random.pick(COLOURS);
  const kind = random.weighted({ create: known === undefined ? 60 : 12, update: 22, patch: 22, delete: 12, get: 22 });
  switch (kind) {
    case 'create':
      return { kind, token, colour };
    case 'update':
      return known === undefined ? { kind: 'get' } : { kind, token, colour, expected: known.version };
    case 'patch':
      return random.chance(0.5) ? { kind, token } : { kind, token, colour };
    default:
      return { kind };
  }
}

export type ListChoice = Pick<List, 'mode' | 'requested' | 'selector'> & {
  /** 0 for no limit */
  readonly limit: number;
};

export function chooseList(random: Random, newest: number): ListChoice {
  const wanted = random.weighted({ recent: 4, any: 2, 'not older than': 2, exact: 2 });
  const mode = newest === 0 ? 'recent' : wanted;
  const requested =
    mode === 'recent' || mode === 'any' ? 0 : Math.max(1, newest - (mode === 'exact' ? random.below(20) : 0));
  return { mode, requested, selector: random.pick(['', '', ...COLOURS]), limit: random.pick([0, 2, 3, 5]) };
}
