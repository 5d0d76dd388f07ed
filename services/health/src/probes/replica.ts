import type { ChecksResponse, LoadMessage } from '@tidegate/wire';
import { DebouncedResult, type Thresholds } from './debounced-result.ts';
import type { TargetState } from './target.ts';

export interface ReplicaCheck {
  readonly name: string;
  readonly required: boolean;
  readonly passes: boolean;
  readonly since: number;
  /** why it fails, or '' */
  readonly message: string;
  /** it is listed in /livez, and passes there */
  readonly onLivez: boolean;
  readonly live: boolean;
}

/** A change of a check, for the list of events. */
export interface CheckChange {
  readonly check: string;
  readonly passes: boolean;
  readonly message: string;
}

interface Known {
  readonly result: DebouncedResult;
  readonly live: DebouncedResult;
  last: ChecksResponse['checks'][number];
}

/** the part of a replica that has not answered yet */
export const UNKNOWN = 'unknown';
/** the name of the check that a replica answers at all */
export const REACHABLE = 'reachable';

/**
 * The accepted state of one replica: a change is accepted only after enough consecutive equal results.
 *
 * Invariant: a check that the replica no longer reports is removed; while a replica does not answer, its checks stay
 * unchanged.
 */
export class Replica {
  readonly address: string;
  readonly #thresholds: Thresholds;
  readonly #knownSince: number;
  readonly #checks = new Map<string, Known>();
  #reachable: DebouncedResult | undefined;
  #why = '';
  #answer: ChecksResponse | undefined;

  constructor(address: string, thresholds: Thresholds, now = 0) {
    this.#knownSince = now;
    this.address = address;
    this.#thresholds = thresholds;
  }

  /** Processes the result of a probe. Returns what has changed. */
  observe({ answered, answer, why }: TargetState, now: number): CheckChange[] {
    const changes: CheckChange[] = [];
    if (this.#reachable === undefined) this.#reachable = new DebouncedResult(answered, now, this.#thresholds);
    else if (this.#reachable.observe(answered, now)) changes.push({ check: REACHABLE, passes: answered, message: why });
    this.#why = why;
    if (!answered || answer === undefined) return changes;
    this.#answer = answer;
    const reported = new Set(answer.checks.map(({ name }) => name));
    for (const name of this.#checks.keys()) if (!reported.has(name)) this.#checks.delete(name);
    for (const check of answer.checks) {
      const known = this.#checks.get(check.name);
      if (known === undefined) {
        const result = new DebouncedResult(check.ok, now, this.#thresholds);
        this.#checks.set(check.name, {
          result,
          live: new DebouncedResult(check.live, now, this.#thresholds),
          last: check,
        });
        continue;
      }
      known.live.observe(check.live, now);
      if (known.result.observe(check.ok, now))
        changes.push({ check: check.name, passes: check.ok, message: check.message });
      // the shown reason is that of the accepted failure
      if (check.ok === known.result.passes || !check.ok) known.last = check;
    }
    return changes;
  }

  get part(): string {
    return this.#answer?.part ?? UNKNOWN;
  }

  /** its name; its address until it has reported a name */
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

  /** undefined while it does not answer or does not report it */
  get load(): LoadMessage | undefined {
    return this.isReachable ? (this.#answer?.load ?? undefined) : undefined;
  }

  /** when it became reachable or unreachable */
  get since(): number {
    return this.#reachable?.since ?? this.#knownSince;
  }

  /** whether it answers, followed by the checks that it reports */
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
    const own = [...this.#checks].map(([name, { result, live, last }]): ReplicaCheck => {
      const { required, onLivez } = last;
      const message = result.passes ? '' : last.message;
      return { name, required, passes: result.passes, since: result.since, message, onLivez, live: live.passes };
    });
    return [reachable, ...own];
  }
}
