/**
 * A cache with a size limit; the least recently used values are evicted first.
 *
 * Invariant: all values together have at most `maxBytes`. For example with 10 bytes: a (4) and b (4) are set, a is
 * read, c (4) is set: a and c stay.
 */
export class Cache<T extends { readonly size: number }> {
  readonly #maxBytes: number;
  readonly #values = new Map<string, T>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): T | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    // the most recently used values are last
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  set(name: string, value: T): void {
    this.#remove(name);
    if (value.size > this.#maxBytes) return;
    this.#values.set(name, value);
    this.#bytes += value.size;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  #remove(name: string): void {
    this.#bytes -= this.#values.get(name)?.size ?? 0;
    this.#values.delete(name);
  }
}
