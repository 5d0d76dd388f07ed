interface WindowMemoryOptions {
  /** for all windows together */
  bytes: number;
  /** milliseconds, never going back */
  now?: () => number;
}

/** A window, as far as the memory has to know it. */
interface SharedWindow {
  readonly bytes: number;
  /** when its oldest event came */
  readonly oldestAt: number | undefined;
  /** when the newest event came that was dropped to save memory */
  readonly cutAt: number | undefined;
  /** drops the events that came at this time or before */
  dropThrough(time: number): void;
  /** drops the oldest event to save memory */
  cutOldest(): void;
}

/** The longest that anybody was promised: the store's log gives it up, too. */
const FORGET_MS = 300_000;
/** What a client may be away for without a question to the store. */
const YOUNG_MS = 75_000;
/** Cutting begins above the limit and goes on to this share of it, so that it need not be done for each event. */
const CUT_TO = 15 / 16;
const SWEEP_MS = 1000;

/**
 * The memory that all windows of a process share.
 *
 * Invariant: after each `trim` they hold no more than the limit together. Events older than five minutes go in any case.
 * Where memory is short, those go first that are older than 75 seconds, the oldest of all windows first; only when
 * there is none of them left a window loses younger ones, and it is always the largest one that does.
 *
 * For example with room for 100, of which `a` has 30 that are two minutes old and 60 young ones, and `b` 10 young ones:
 * one more event in `b` costs `a` 8 of its old ones. Had it none of these, it would lose as many young ones.
 */
export class WindowMemory {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #windows = new Set<SharedWindow>();
  #sweptAt: number;

  constructor({ bytes, now = () => performance.now() }: WindowMemoryOptions) {
    this.#limit = bytes;
    this.#now = now;
    this.#sweptAt = now();
  }

  /** Of all windows; they keep it themselves. */
  bytes = 0;

  now(): number {
    return this.#now();
  }

  join(window: SharedWindow): void {
    this.#windows.add(window);
  }

  /** Nobody reads it any longer. */
  leave(window: SharedWindow): void {
    if (this.#windows.delete(window)) this.bytes -= window.bytes;
  }

  /** How long the window reaches back that reaches back least, of those that had to be cut; else five minutes. */
  reachMs(): number {
    let reach = FORGET_MS;
    for (const { cutAt } of this.#windows) if (cutAt !== undefined) reach = Math.min(reach, this.#now() - cutAt);
    return reach;
  }

  /** Events were added. */
  trim(): void {
    const now = this.#now();
    if (now - this.#sweptAt >= SWEEP_MS) this.sweep();
    if (this.bytes <= this.#limit) return;
    this.#cutOldest(now - YOUNG_MS);
    if (this.bytes > this.#limit) this.#cutLargest();
  }

  /** To be called now and then, since without new events nothing else lets go of the old ones. */
  sweep(): void {
    this.#sweptAt = this.#now();
    for (const window of this.#windows) window.dropThrough(this.#sweptAt - FORGET_MS);
  }

  get #wanted(): number {
    return this.#limit * CUT_TO;
  }

  /** A window gives what is older than the oldest event of all others, and about a second's worth more. */
  #cutOldest(before: number): void {
    while (this.bytes > this.#wanted) {
      const [oldest, next] = this.#firstTwo((window) => -(window.oldestAt ?? Number.POSITIVE_INFINITY));
      if (oldest?.oldestAt === undefined || oldest.oldestAt >= before) return;
      const until = Math.min(before, (next?.oldestAt ?? before) + SWEEP_MS);
      while (this.bytes > this.#wanted && oldest.oldestAt !== undefined && oldest.oldestAt < until) oldest.cutOldest();
    }
  }

  /** Windows of nearly the same size take turns. */
  #cutLargest(): void {
    while (this.bytes > this.#wanted) {
      const [largest, next] = this.#firstTwo((window) => window.bytes);
      if (largest === undefined || largest.bytes === 0) return;
      const enough = (next?.bytes ?? 0) * CUT_TO;
      do largest.cutOldest();
      while (this.bytes > this.#wanted && largest.bytes > enough);
    }
  }

  #firstTwo(rank: (window: SharedWindow) => number): [SharedWindow?, SharedWindow?] {
    let first: SharedWindow | undefined;
    let second: SharedWindow | undefined;
    for (const window of this.#windows) {
      if (first === undefined || rank(window) > rank(first)) {
        second = first;
        first = window;
      } else if (second === undefined || rank(window) > rank(second)) second = window;
    }
    return [first, second] as [SharedWindow?, SharedWindow?];
  }
}
