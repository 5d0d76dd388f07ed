interface Allowance {
  /** the number of uses without waiting */
  readonly burst: number;
  readonly perSecond: number;
  /** the number of further uses that are charged to a client without tokens; 1 where it is not given */
  readonly maxDebt?: number;
}

/**
 * A token bucket for each client. It belongs to the client and not to a connection: a new connection continues with the
 * remaining tokens.
 *
 * Invariant: full buckets are removed, so that the map holds only recently active clients.
 */
export class Allowances {
  readonly #allowance: Allowance;
  readonly #now: () => number;
  readonly #left = new Map<string, { count: number; at: number }>();
  #swept: number;

  constructor(allowance: Allowance, now: () => number) {
    this.#allowance = allowance;
    this.#now = now;
    this.#swept = now();
  }

  /** Takes a token; false: none was left. */
  take(client: string): boolean {
    this.#sweep();
    const left = this.#leftOf(client) - 1;
    const { maxDebt = 1 } = this.#allowance;
    this.#left.set(client, { count: Math.max(left, -maxDebt), at: this.#now() });
    return left >= 0;
  }

  isSpent(client: string): boolean {
    return this.#leftOf(client) < 1;
  }

  get clients(): number {
    return this.#left.size;
  }

  #leftOf(client: string): number {
    const { burst, perSecond } = this.#allowance;
    const known = this.#left.get(client);
    if (known === undefined) return burst;
    return Math.min(burst, known.count + ((this.#now() - known.at) / 1000) * perSecond);
  }

  /** Runs rarely, so that its cost for each client is negligible. */
  #sweep(): void {
    const fullAfterMs = (this.#allowance.burst / this.#allowance.perSecond) * 1000;
    if (this.#now() - this.#swept < fullAfterMs) return;
    this.#swept = this.#now();
    for (const client of this.#left.keys())
      if (this.#leftOf(client) >= this.#allowance.burst) this.#left.delete(client);
  }
}

/**
 * Counts for each client.
 *
 * Invariant: a client has an entry exactly while its count is above 0.
 */
export class ClientCounters {
  readonly #counts = new Map<string, number>();

  /** Returns the new count. */
  enter(client: string, many = 1): number {
    const count = (this.#counts.get(client) ?? 0) + many;
    this.#counts.set(client, count);
    return count;
  }

  leave(client: string, many = 1): void {
    const count = (this.#counts.get(client) ?? 0) - many;
    if (count > 0) this.#counts.set(client, count);
    else this.#counts.delete(client);
  }

  of(client: string): number {
    return this.#counts.get(client) ?? 0;
  }
}
