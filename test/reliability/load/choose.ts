import type { Random } from '@tidegate/testkit';
import type { Ask, List, State } from '../history/history.ts';

/** What the clients of a run know together: enough to name versions that are, or were a moment ago, current. */
export class Knowledge {
  readonly #states = new Map<string, State>();
  newest = 0;

  saw(state: State): void {
    this.#states.set(state.key, state);
    this.newest = Math.max(this.newest, state.version);
  }

  of(key: string): State | undefined {
    return this.#states.get(key);
  }
}

export const COLOURS = ['red', 'blue'] as const;

/** Few keys, so that clients meet. */
export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `r-${i}`);
}

/** The next operation of a client. Its token is unique in the run. */
export function chooseAsk(random: Random, known: State | undefined, token: string): Ask {
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

export type ListChoice = Pick<List, 'mode' | 'asked' | 'selector'> & {
  /** 0: all at once */
  readonly limit: number;
};

export function chooseList(random: Random, newest: number): ListChoice {
  const wanted = random.weighted({ recent: 4, any: 2, 'not older than': 2, exact: 2 });
  const mode = newest === 0 ? 'recent' : wanted;
  const asked =
    mode === 'recent' || mode === 'any' ? 0 : Math.max(1, newest - (mode === 'exact' ? random.below(20) : 0));
  return { mode, asked, selector: random.pick(['', '', ...COLOURS]), limit: random.pick([0, 2, 3, 5]) };
}
