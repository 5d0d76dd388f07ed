/**
 * How many of something each client has.
 *
 * Invariant: a client is counted while it has any, and forgotten with the last.
 */
export class ClientCounts {
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
