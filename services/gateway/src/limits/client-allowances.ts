interface Allowance {
  /** at once */
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * What each client may do so many times a second. It is a client that is counted, and not one connection of it: who begins
 * again with another connection begins with what is left.
 *
 * Invariant: who has all that it may is not kept, so that there are no more clients here than have done it a moment ago.
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

  /** Answers whether it was allowed. */
  take(client: string): boolean {
    this.#sweep();
    const left = this.#leftOf(client) - 1;
    // who goes on does not owe more and more
    this.#left.set(client, { count: Math.max(left, -1), at: this.#now() });
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

  /** Now and then, so that each client costs nothing of note. */
  #sweep(): void {
    const fullAfterMs = (this.#allowance.burst / this.#allowance.perSecond) * 1000;
    if (this.#now() - this.#swept < fullAfterMs) return;
    this.#swept = this.#now();
    for (const client of this.#left.keys())
      if (this.#leftOf(client) >= this.#allowance.burst) this.#left.delete(client);
  }
}

/**
 * How many of something each client has.
 *
 * Invariant: a client is counted while it has any, and forgotten with the last.
 */
export class ClientCounters {
  readonly #counts = new Map<string, number>();

  /** Answers how many it has with these. */
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
