interface QuietOptions {
  /** the newest revision that this process has heard of */
  readonly revision: () => number;
  readonly now?: () => number;
}

/** When one sort of work has to look again. */
interface Turn {
  /** For how long no round is due; 0: something was written since the last one began, or the longest time is over. */
  restMs(fence: number): number;
  begin(fence: number): void;
  /** The round is over; it may have left more to do. */
  done(hasMore: boolean): void;
}

/**
 * Rounds of work that follows from what is written. While nothing is written they would find what they found before, and
 * cost as much, so they are passed over.
 *
 * Invariant: a round that was begun before a change is not the last one: what a round may not have seen is for the next.
 */
export class QuietRounds {
  readonly #options: Required<QuietOptions>;

  constructor(options: QuietOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** longestMs: how long this work may pass over its rounds */
  work(longestMs: number): Turn {
    const { revision, now } = this.#options;
    /** what was known when the last whole round began */
    let seen = -1;
    let beginning = -1;
    let under: number | undefined;
    let doneAt = Number.NEGATIVE_INFINITY;
    return {
      restMs: (fence) =>
        fence === under && revision() === seen ? Math.max(0, Math.ceil(doneAt + longestMs - now())) : 0,
      begin: (fence) => {
        under = fence;
        beginning = revision();
        // a round that fails has seen nothing
        seen = -1;
      },
      done: (hasMore) => {
        seen = hasMore ? -1 : beginning;
        doneAt = now();
      },
    };
  }
}
