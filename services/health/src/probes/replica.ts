import type { ChecksResponse, LoadMessage } from '@tidegate/wire';
import { type Patience, Steady } from './steady.ts';
import type { TargetState } from './target.ts';

export interface ReplicaCheck {
  readonly name: string;
  readonly required: boolean;
  readonly passes: boolean;
  readonly since: number;
  /** why it fails, or '' */
  readonly message: string;
  /** liveness lists it, and passes it */
  readonly onLivez: boolean;
  readonly live: boolean;
}

/** What became different, for the list of events. */
export interface Turn {
  readonly check: string;
  readonly passes: boolean;
  readonly message: string;
}

interface Known {
  readonly steady: Steady;
  readonly live: Steady;
  told: ChecksResponse['checks'][number];
}

/** Of one that has not answered yet. */
export const UNKNOWN = 'unknown';
/** That it answers at all, beside the checks that it tells itself. */
export const REACHABLE = 'reachable';

/**
 * What is believed of one replica: what it said, but for what it said too few times.
 *
 * Invariant: a check that a replica no longer tells is forgotten; the checks of one that does not answer stay as they were.
 */
export class Replica {
  readonly address: string;
  readonly #patience: Patience;
  readonly #knownSince: number;
  readonly #checks = new Map<string, Known>();
  #reachable: Steady | undefined;
  #why = '';
  #answer: ChecksResponse | undefined;

  constructor(address: string, patience: Patience, now = 0) {
    this.#knownSince = now;
    this.address = address;
    this.#patience = patience;
  }

  /** Takes in an answer, or its lack; tells what that changed. */
  see({ answered, answer, why }: TargetState, now: number): Turn[] {
    const turns: Turn[] = [];
    if (this.#reachable === undefined) this.#reachable = new Steady(answered, now, this.#patience);
    else if (this.#reachable.see(answered, now)) turns.push({ check: REACHABLE, passes: answered, message: why });
    this.#why = why;
    if (!answered || answer === undefined) return turns;
    this.#answer = answer;
    const told = new Set(answer.checks.map(({ name }) => name));
    for (const name of this.#checks.keys()) if (!told.has(name)) this.#checks.delete(name);
    for (const check of answer.checks) {
      const known = this.#checks.get(check.name);
      if (known === undefined) {
        const steady = new Steady(check.ok, now, this.#patience);
        this.#checks.set(check.name, { steady, live: new Steady(check.live, now, this.#patience), told: check });
        continue;
      }
      known.live.see(check.live, now);
      if (known.steady.see(check.ok, now)) turns.push({ check: check.name, passes: check.ok, message: check.message });
      // the reason that is shown is that of the failure that is believed
      if (check.ok === known.steady.passes || !check.ok) known.told = check;
    }
    return turns;
  }

  get part(): string {
    return this.#answer?.part ?? UNKNOWN;
  }

  /** its name, or its address while it has not told one */
  get instance(): string {
    return this.#answer?.instance ?? this.address;
  }

  get isReachable(): boolean {
    return this.#reachable?.passes ?? false;
  }

  get isStopping(): boolean {
    return this.#answer?.stopping ?? false;
  }

  get revision(): number {
    return this.#answer?.revision ?? 0;
  }

  /** of one that answers, and tells it */
  get load(): LoadMessage | undefined {
    return this.isReachable ? (this.#answer?.load ?? undefined) : undefined;
  }

  /** when it came, or went */
  get since(): number {
    return this.#reachable?.since ?? this.#knownSince;
  }

  /** whether it answers, and then what it tells of itself */
  get checks(): ReplicaCheck[] {
    const { isReachable } = this;
    const reachable: ReplicaCheck = {
      name: REACHABLE,
      required: true,
      passes: isReachable,
      since: this.since,
      message: isReachable ? '' : this.#why,
      onLivez: true,
      live: isReachable,
    };
    const own = [...this.#checks].map(([name, { steady, live, told }]): ReplicaCheck => {
      const { required, onLivez } = told;
      const message = steady.passes ? '' : told.message;
      return { name, required, passes: steady.passes, since: steady.since, message, onLivez, live: live.passes };
    });
    return [reachable, ...own];
  }
}
