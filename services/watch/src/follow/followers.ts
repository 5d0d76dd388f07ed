import type { LogBatch } from '@tidegate/wire';
import type { Follower } from './follower.ts';

/** The open streams of all gateways. */
export class Followers {
  readonly #all = new Set<Pick<Follower, 'push' | 'end'>>();
  readonly #changed: (count: number) => void;

  constructor(changed: (count: number) => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#all.size;
  }

  join(follower: Pick<Follower, 'push' | 'end'>): void {
    this.#all.add(follower);
    this.#changed(this.#all.size);
  }

  leave(follower: Pick<Follower, 'push' | 'end'>): void {
    this.#all.delete(follower);
    this.#changed(this.#all.size);
  }

  push(batch: LogBatch): void {
    for (const follower of this.#all) follower.push(batch);
  }

  /** Ends every stream; their gateways open new ones. */
  end(): void {
    for (const follower of this.#all) follower.end();
    this.#all.clear();
    this.#changed(0);
  }
}
