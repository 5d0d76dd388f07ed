/**
 * A bounded cache whose entries expire. Invariant: it never exceeds its size, the oldest entries are evicted first, and
 * no expired entry is returned.
 *
 *   size 2:  put a, put b, put c  →  b, c
 */
export class ExpiringCache<T> {
  readonly #size: number;
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(size: number, now: () => number = Date.now) {
    this.#size = size;
    this.#now = now;
  }

  get(key: string): T | undefined {
    const found = this.#known.get(key);
    if (found === undefined) return undefined;
    if (this.#now() < found.until) return found.value;
    this.#known.delete(key);
    return undefined;
  }

  put(key: string, value: T, forMs: number): void {
    if (forMs <= 0) return;
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= this.#size && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { value, until: this.#now() + forMs });
  }

  get size(): number {
    return this.#known.size;
  }
}
