import type { NamedLevel } from './classifier.ts';
import { FairQueues } from './fair-queues.ts';
import type { PriorityLevelSpec, Queuing } from './priority-level.ts';
import type { Ticket } from './ticket.ts';

/** The defaults of kube-apiserver. */
const SHARES = 30;
const QUEUING: Queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };

/** A request in a level. */
export type LevelTicket = Ticket<Level>;

/** The runtime state of one priority level. The rules for seating requests are in seats.ts, which has all levels. */
export class Level {
  readonly name: string;
  uid = '';
  isExempt = false;
  shares = 0;
  #lendable = 0;
  #borrowing: number | undefined;
  queues: FairQueues<LevelTicket> | undefined;
  /** its own seats now, the number of them that it never lends, and the maximum that it may use with borrowed seats */
  nominal = 0;
  lower = 0;
  upper = 0;
  /** its nominal seats while the process is not overloaded */
  configured = 0;
  seatsInUse = 0;
  readonly executing = new Set<LevelTicket>();
  dispatched = 0;
  rejected = 0;
  timedOut = 0;
  cancelled = 0;
  /** its object was deleted: the level ends with its last request */
  isEnding = false;

  constructor(name: string) {
    this.name = name;
  }

  /** Applies the spec of its object. Returns the requests whose queues no longer exist. */
  configure({ uid, spec }: NamedLevel): LevelTicket[] {
    this.uid = uid;
    this.isEnding = false;
    this.isExempt = spec.type === 'Exempt';
    const shares = sharesOf(spec);
    this.shares = shares.nominalConcurrencyShares ?? (this.isExempt ? 0 : SHARES);
    this.#lendable = shares.lendablePercent ?? 0;
    this.#borrowing = spec.type === 'Limited' ? spec.limited?.borrowingLimitPercent : undefined;
    const queuing = queuingOf(spec);
    if (this.queues?.hasQueuing(queuing) ?? queuing === undefined) return [];
    const waiting = this.queues?.dissolve() ?? [];
    this.queues = queuing && new FairQueues(queuing);
    return waiting;
  }

  /** Computes its share of all seats. */
  scale(seats: number, configured: number, allShares: number): void {
    const part = allShares === 0 ? 0 : this.shares / allShares;
    this.configured = Math.ceil(configured * part);
    this.nominal = Math.ceil(seats * part);
    // not rounded: with few seats, the levels together would otherwise keep more seats than exist
    this.lower = seats * part * (1 - this.#lendable / 100);
    const borrowed = this.#borrowing === undefined ? seats : Math.round((this.nominal * this.#borrowing) / 100);
    this.upper = this.isExempt ? Number.POSITIVE_INFINITY : this.nominal + borrowed;
  }

  get waiting(): number {
    return this.queues?.waiting ?? 0;
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing.size === 0;
  }
}

function sharesOf(spec: PriorityLevelSpec) {
  return (spec.type === 'Exempt' ? spec.exempt : spec.limited) ?? {};
}

function queuingOf(spec: PriorityLevelSpec): Queuing | undefined {
  if (spec.type !== 'Limited' || spec.limited?.limitResponse?.type !== 'Queue') return undefined;
  return { ...QUEUING, ...spec.limited.limitResponse.queuing };
}
