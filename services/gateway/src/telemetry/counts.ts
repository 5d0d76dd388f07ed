import type { Sample } from '@tidegate/service-kit';

/** How often each of a few words was said: as a counter with one label, at the cost of a look into a map. */
export class Counts {
  readonly #label: string;
  readonly #counts: Map<string, number>;

  constructor(label: string, words: readonly string[]) {
    this.#label = label;
    // what did not happen yet is told as 0, so that rates begin with the first time
    this.#counts = new Map(words.map((word) => [word, 0]));
  }

  add(word: string): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  samples(): Sample[] {
    return Array.from(this.#counts, ([word, value]) => ({ labels: { [this.#label]: word }, value }));
  }
}
