interface WindowMemoryOptions {
  /** for all windows together */
  bytes: number;
  /** a monotonic clock, in milliseconds */
  now?: () => number;
}

/** The parts of a window that the memory uses. */
interface SharedWindow {
  readonly bytes: number;
  /** the arrival time of its oldest event */
  readonly oldestAt: number | undefined;
  /** the arrival time of the newest event that was dropped to save memory */
  readonly cutAt: number | undefined;
  /** drops the events that arrived at this time or before */
  dropThrough(time: number): void;
  /** drops the oldest event to save memory */
  cutOldest(): void;
}

/** Events are kept no longer than this: the store's log drops them, too. */
const FORGET_MS = 300_000;
/** A client that was disconnected for this time can resume without a read from the store. */
const YOUNG_MS = 75_000;
/** Cutting begins above the limit and stops at this share of it, so that not every event causes a cut. */
const CUT_TO = 15 / 16;
const SWEEP_MS = 1000;

/**
 * The memory that all windows of a process share.
 *
 * Invariant: after each `trim` the windows together hold no more than the limit. Events older than five minutes are
 * always dropped. When memory is short, events older than 75 seconds are dropped first, the oldest of all windows
 * first. Only when there are none left does a window lose younger events, and it is always the largest window.
 *
 * For example with a limit of 100, window `a` has 30 events that are two minutes old and 60 young ones, and window
 * `b` has 10 young ones: one more event in `b` costs `a` 8 of its old events. Without old events it would lose as
 * many young ones.
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

  /** The bytes of all windows; the windows update it. */
  bytes = 0;

  now(): number {
    return this.#now();
  }

  join(window: SharedWindow): void {
    this.#windows.add(window);
  }

  /** Removes a window that is no longer read. */
  leave(window: SharedWindow): void {
    if (this.#windows.delete(window)) this.bytes -= window.bytes;
  }

  /** The shortest history of all windows that had to be cut; without a cut five minutes. */
  reachMs(): number {
    let reach = FORGET_MS;
    for (const { cutAt } of this.#windows) if (cutAt !== undefined) reach = Math.min(reach, this.#now() - cutAt);
    return reach;
  }

  /** Drops events after an append, as far as the limit demands it. */
  trim(): void {
    const now = this.#now();
    if (now - this.#sweptAt >= SWEEP_MS) this.sweep();
    if (this.bytes <= this.#limit) return;
    this.#cutOldest(now - YOUNG_MS);
    if (this.bytes > this.#limit) this.#cutLargest();
  }

  /** Drops events that are too old. The owner calls it regularly, because without new events `trim` does not run. */
  sweep(): void {
    this.#sweptAt = this.#now();
    for (const window of this.#windows) window.dropThrough(this.#sweptAt - FORGET_MS);
  }

  get #target(): number {
    return this.#limit * CUT_TO;
  }

  /** Takes from a window all events that are older than those of the other windows, and about one second more. */
  #cutOldest(before: number): void {
    while (this.bytes > this.#target) {
      const [oldest, next] = this.#firstTwo((window) => -(window.oldestAt ?? Number.POSITIVE_INFINITY));
      if (oldest?.oldestAt === undefined || oldest.oldestAt >= before) return;
      const until = Math.min(before, (next?.oldestAt ?? before) + SWEEP_MS);
      while (this.bytes > this.#target && oldest.oldestAt !== undefined && oldest.oldestAt < until) oldest.cutOldest();
    }
  }

  /** Cuts the largest window first; windows of nearly the same size are cut in turn. */
  #cutLargest(): void {
    while (this.bytes > this.#target) {
      const [largest, next] = this.#firstTwo((window) => window.bytes);
      if (largest === undefined || largest.bytes === 0) return;
      const enough = (next?.bytes ?? 0) * CUT_TO;
      do largest.cutOldest();
      while (this.bytes > this.#target && largest.bytes > enough);
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
