const MOST_HELD = 5000;
/** The interval between refusals when they are many; at this rate they cost about a twentieth of this process's time. */
const APART_MS = 5;
/** the burst that is sent without this interval */
const AT_ONCE = 50;

interface DelayOptions {
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

/**
 * Delays refusals. A refused client that retries at once would keep this process busy with refusals, because reading
 * and refusing a request costs about as much as serving a small one. A connection that waits for its answer sends no
 * further request. Refusals are sent one by one, because clients that are refused together retry together, ahead of all
 * others.
 *
 * Invariant: the number of delayed refusals is bounded; above the bound refusals are sent at once. Of the others at
 * most a burst of fifty, and then one every 5 ms, is sent.
 *
 * sent: |||||||||| (fifty) | | | | |
 */
export class DelayedRefusals {
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<void>;
  /** the earliest time of the next refusal if all before it use their latest time */
  #next = 0;
  #held = 0;

  constructor({ now = () => performance.now(), wait = sleep }: DelayOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  /** Resolves when the refusal may be sent, after at least this time. */
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
