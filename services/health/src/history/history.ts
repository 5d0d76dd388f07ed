import { type CheckChange, REACHABLE, type Replica, type ReplicaCheck } from '../probes/replica.ts';
import { stateOf } from '../report.ts';
import { Minutes } from './minutes.ts';

/** The worst state of a minute; `nothing`: unknown. */
export const minuteState = { nothing: 0, ok: 1, degraded: 2, failing: 3 } as const;

export interface HistoryEvent {
  readonly at: string;
  /** `part/replica/check` */
  readonly what: string;
  readonly ok: boolean;
  readonly message: string;
}

/** The values that the board draws as bars. */
export interface Series {
  /** the states of a check; of the whole replica where the name is '' */
  readonly states: (check: string, spans: number, minutesOfSpan: number) => number[];
  /** milliseconds from commit to the mirrors */
  readonly lagMs: (spans: number, minutesOfSpan: number) => number[];
}

interface ReplicaHistory {
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
 * The history in memory: each minute of each check of each replica, and the last changes.
 *
 * Invariant: it never exceeds its bounds. A replica is identified by its address, so that its history continues after a
 * restart; above the bound, the least recently updated replica is removed.
 */
export class History {
  readonly #bounds: Bounds;
  readonly #replicas = new Map<string, ReplicaHistory>();
  readonly #events: HistoryEvent[] = [];

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** the number of minutes that are kept */
  get minutes(): number {
    return this.#bounds.minutes;
  }

  /** newest first */
  get events(): readonly HistoryEvent[] {
    return this.#events;
  }

  /** Records the current state of a replica, and its latest changes. */
  note(replica: Replica, changes: readonly CheckChange[], now: number): void {
    const entry = this.#historyOf(replica.address);
    this.#minutesOf(entry, WHOLE).note(wholeState(replica), now);
    // of a replica that does not answer, only its reachability is known
    const reported = replica.checks.filter(({ name }) => replica.isReachable || name === REACHABLE);
    for (const check of reported) this.#minutesOf(entry, check.name).note(checkState(check), now);
    if (replica.load?.hasLag) entry.lagMs.note(replica.load.lagMs, now);
    for (const { check, passes, message } of changes) {
      const what = `${replica.part}/${replica.instance}/${check}`;
      this.#events.unshift({ at: new Date(now).toISOString(), what, ok: passes, message });
    }
    this.#events.length = Math.min(this.#events.length, this.#bounds.events);
  }

  of(address: string, now: number): Series {
    const entry = this.#replicas.get(address);
    const nothing = (spans: number) => new Array<number>(spans).fill(minuteState.nothing);
    return {
      states: (check, spans, size) => entry?.checks.get(check)?.last(spans, size, now) ?? nothing(spans),
      lagMs: (spans, size) => entry?.lagMs.last(spans, size, now) ?? nothing(spans),
    };
  }

  #historyOf(address: string): ReplicaHistory {
    const { minutes, replicas } = this.#bounds;
    const known = this.#replicas.get(address);
    const entry = known ?? { checks: new Map(), lagMs: new Minutes(new Float32Array(minutes)) };
    // a map keeps the order of insertion, so the first entry is the least recently updated one
    this.#replicas.delete(address);
    this.#replicas.set(address, entry);
    for (const oldest of this.#replicas.keys()) {
      if (this.#replicas.size <= replicas) break;
      this.#replicas.delete(oldest);
    }
    return entry;
  }

  #minutesOf({ checks }: ReplicaHistory, name: string): Minutes {
    const known = checks.get(name);
    if (known !== undefined) return known;
    const made = new Minutes(new Uint8Array(this.#bounds.minutes));
    // another version of the part may have other checks; checks that no longer exist are removed first
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
  if (state === 'ok') return minuteState.ok;
  return state === 'degraded' || state === 'stopping' ? minuteState.degraded : minuteState.failing;
}

function checkState({ passes, required }: ReplicaCheck): number {
  if (passes) return minuteState.ok;
  return required ? minuteState.failing : minuteState.degraded;
}
