/**
 * Values by name, as many as fit; those go first that nobody has asked for the longest.
 *
 * Invariant: all values together have at most `maxBytes`, whatever is put in. For example with 10 bytes: a (4), b (4),
 * a is asked for, c (4) is put in: a and c stay.
 */
export class Memo<T extends { readonly size: number }> {
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
    // the newest stand last
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  set(name: string, value: T): void {
    this.#forget(name);
    if (value.size > this.#maxBytes) return;
    this.#values.set(name, value);
    this.#bytes += value.size;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#bytes -= this.#values.get(name)?.size ?? 0;
    this.#values.delete(name);
  }
}
