const MOST_HELD = 5000;
/** One refusal each so many milliseconds, when there are many: about a twentieth of what this process can do. */
const APART_MS = 5;
/** so many may be told at once before that begins */
const AT_ONCE = 50;

interface DelayOptions {
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

/**
 * Refusals that are not told yet. Who is refused and sends the next request at once would make this process refuse for a
 * living: reading a request and answering it takes about as long as serving a small one. A connection that waits for its
 * answer sends nothing. They are told one by one: those that are told together come again together, and stand before
 * everybody else.
 *
 * Invariant: a bounded number is held; beyond it they are told at once. Of the others, never more than fifty and one each
 * 5 ms are told.
 *
 *   told: |||||||||| (fifty)  |    |    |    |    |
 */
export class DelayedRefusals {
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<void>;
  /** when the next may be told if all before were told as late as they might */
  #next = 0;
  #held = 0;

  constructor({ now = () => performance.now(), wait = sleep }: DelayOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  /** Resolves when it may be told: not before so long. */
  async hold(leastMs = 0): Promise<void> {
    if (this.#held >= MOST_HELD) return;
    const now = this.#now();
    const earliest = now + leastMs;
    this.#next = Math.max(this.#next + APART_MS, earliest - AT_ONCE * APART_MS);
    const heldMs = Math.max(earliest, this.#next) - now;
    if (heldMs <= 0) return;
    this.#held++;
    try {
      await this.#wait(heldMs);
    } finally {
      this.#held--;
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
