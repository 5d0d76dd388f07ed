import type { Key } from '@tidegate/wire';
import type { ChangeQueries, WatchedKeys } from '../port.ts';

/**
 * The watched keys that were written since the last call.
 *
 * Invariant: no change is skipped. At the first call, and where the log does not reach back to the last one, the result
 * is `undefined`: every object may have changed.
 */
export class ChangedKeys {
  readonly #changes: ChangeQueries;
  readonly #watched: readonly WatchedKeys[];
  #through = 0;
  #fence: number | undefined;

  constructor(changes: ChangeQueries, watched: readonly WatchedKeys[]) {
    this.#changes = changes;
    this.#watched = watched;
  }

  async next(): Promise<Key[] | undefined> {
    const { revision, floor, keys } = await this.#changes.keysSince(this.#through, this.#watched);
    const isComplete = this.#through > 0 && this.#through >= floor;
    this.#through = revision;
    return isComplete ? keys : undefined;
  }

  /** As `next`, for a leader: a new fence starts over, because another leader may have seen the changes in between. */
  nextUnder(fence: number): Promise<Key[] | undefined> {
    if (fence !== this.#fence) this.reset();
    this.#fence = fence;
    return this.next();
  }

  /** Makes the next call behave like the first. */
  reset(): void {
    this.#through = 0;
  }
}
