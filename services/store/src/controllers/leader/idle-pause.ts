interface IdlePauseOptions {
  /** the newest revision that this process knows */
  readonly revision: () => number;
  /** the longest time without a pass */
  readonly longestMs: number;
  readonly now?: () => number;
}

/**
 * Pauses one reconcile loop while nothing is written: a pass would find the same state as the last one, at the same
 * cost.
 *
 * Invariant: a pass that began before a change is not the last one. What it may have missed is left to the next pass.
 */
export class IdlePause {
  readonly #options: Required<IdlePauseOptions>;
  /** the revision that was known when the last complete pass began */
  #seen = -1;
  #beginning = -1;
  #fence: number | undefined;
  #doneAt = Number.NEGATIVE_INFINITY;

  constructor(options: IdlePauseOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** For how long no pass is due. 0: something was written since the last pass began, or the longest time is over. */
  remainingMs(fence: number): number {
    const { revision, longestMs, now } = this.#options;
    if (fence !== this.#fence || revision() !== this.#seen) return 0;
    return Math.max(0, Math.ceil(this.#doneAt + longestMs - now()));
  }

  begin(fence: number): void {
    this.#fence = fence;
    this.#beginning = this.#options.revision();
    // a pass that fails has seen nothing
    this.#seen = -1;
  }

  /** The pass is complete; it may have left more to do. */
  done(hasMore: boolean): void {
    this.#seen = hasMore ? -1 : this.#beginning;
    this.#doneAt = this.#options.now();
  }
}
