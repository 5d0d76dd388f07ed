import { REACHABLE, type Replica, type ReplicaCheck, type Turn } from '../probes/replica.ts';
import { stateOf } from '../report.ts';
import { Minutes } from './minutes.ts';

/** What a minute was at its worst. 0: nothing is known of it. */
export const seen = { nothing: 0, ok: 1, degraded: 2, failing: 3 } as const;

export interface HistoryEvent {
  readonly at: string;
  /** `part/replica/check` */
  readonly what: string;
  readonly ok: boolean;
  readonly message: string;
}

/** What is drawn as bars. */
export interface Series {
  /** of a check, or of the whole replica where it has no name */
  readonly states: (check: string, spans: number, minutesOfSpan: number) => number[];
  /** milliseconds from commit to the mirrors */
  readonly lagMs: (spans: number, minutesOfSpan: number) => number[];
}

interface Kept {
  readonly checks: Map<string, Minutes>;
  readonly lagMs: Minutes;
}

interface Bounds {
  readonly minutes: number;
  readonly events: number;
  readonly replicas: number;
  readonly checksOfReplica: number;
}

export const BOUNDS: Bounds = { minutes: 24 * 60, events: 200, replicas: 256, checksOfReplica: 64 };
const WHOLE = '';

/**
 * What was, in memory alone: each minute of each check of each replica, and the last changes.
 *
 * Invariant: it never holds more than its bounds. A replica is known by its address, so that it stays the same one when
 * it is started again; where there are too many, the one that was heard of longest ago goes.
 */
export class History {
  readonly #bounds: Bounds;
  readonly #replicas = new Map<string, Kept>();
  readonly #events: HistoryEvent[] = [];

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** how many are kept */
  get minutes(): number {
    return this.#bounds.minutes;
  }

  /** newest first */
  get events(): readonly HistoryEvent[] {
    return this.#events;
  }

  /** What is believed of a replica now, and what has just changed. */
  note(replica: Replica, turns: readonly Turn[], now: number): void {
    const kept = this.#keptOf(replica.address);
    this.#minutesOf(kept, WHOLE).note(wholeState(replica), now);
    // of one that does not answer nothing more is known
    const told = replica.checks.filter(({ name }) => replica.isReachable || name === REACHABLE);
    for (const check of told) this.#minutesOf(kept, check.name).note(checkState(check), now);
    if (replica.load?.hasLag) kept.lagMs.note(replica.load.lagMs, now);
    for (const { check, passes, message } of turns) {
      const what = `${replica.part}/${replica.instance}/${check}`;
      this.#events.unshift({ at: new Date(now).toISOString(), what, ok: passes, message });
    }
    this.#events.length = Math.min(this.#events.length, this.#bounds.events);
  }

  of(address: string, now: number): Series {
    const kept = this.#replicas.get(address);
    const nothing = (spans: number) => new Array<number>(spans).fill(seen.nothing);
    return {
      states: (check, spans, size) => kept?.checks.get(check)?.last(spans, size, now) ?? nothing(spans),
      lagMs: (spans, size) => kept?.lagMs.last(spans, size, now) ?? nothing(spans),
    };
  }

  #keptOf(address: string): Kept {
    const { minutes, replicas } = this.#bounds;
    const known = this.#replicas.get(address);
    const kept = known ?? { checks: new Map(), lagMs: new Minutes(new Float32Array(minutes)) };
    // a map remembers the order in which its entries were put: the first was heard of longest ago
    this.#replicas.delete(address);
    this.#replicas.set(address, kept);
    for (const oldest of this.#replicas.keys()) {
      if (this.#replicas.size <= replicas) break;
      this.#replicas.delete(oldest);
    }
    return kept;
  }

  #minutesOf({ checks }: Kept, name: string): Minutes {
    const known = checks.get(name);
    if (known !== undefined) return known;
    const made = new Minutes(new Uint8Array(this.#bounds.minutes));
    // another version of the part may tell other checks; one that is told no longer goes first
    for (const old of checks.keys()) {
      if (checks.size < this.#bounds.checksOfReplica) break;
      if (old !== WHOLE) checks.delete(old);
    }
    checks.set(name, made);
    return made;
  }
}

function wholeState(replica: Replica): number {
  const state = stateOf(replica);
  if (state === 'ok') return seen.ok;
  return state === 'degraded' || state === 'stopping' ? seen.degraded : seen.failing;
}

function checkState({ passes, required }: ReplicaCheck): number {
  if (passes) return seen.ok;
  return required ? seen.failing : seen.degraded;
}
