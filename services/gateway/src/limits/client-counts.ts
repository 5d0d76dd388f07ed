/**
 * How many of something each client has open.
 *
 * Invariant: a client is counted while it has any, and forgotten with the last.
 */
export class ClientCounts {
  readonly #open = new Map<string, number>();

  /** with this one */
  enter(client: string): number {
    const open = (this.#open.get(client) ?? 0) + 1;
    this.#open.set(client, open);
    return open;
  }

  leave(client: string): void {
    const open = (this.#open.get(client) ?? 0) - 1;
    if (open > 0) this.#open.set(client, open);
    else this.#open.delete(client);
  }

  of(client: string): number {
    return this.#open.get(client) ?? 0;
  }
}
