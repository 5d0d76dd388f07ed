import { setInterval } from 'node:timers';

/** A watch as its time sees it. */
interface Timed {
  bookmark(): void;
  end(): void;
}

/** Watches are looked at so often: their times are kept to a quarter of a second. */
const TURN_MS = 250;
const BOOKMARK_MS = 60_000;
/** a bookmark this long before the server ends a watch */
const LAST_BOOKMARK_MS = 2000;

/** One watch's place in time. */
export interface WatchTime {
  readonly watch: Timed;
  readonly endAt: number;
  bookmarkAt: number;
  turn: number;
}

/**
 * When each watch gets its bookmarks, and when it ends: one timer for all of them, because thousands of watches do
 * little but wait. Where there is no watch there is no timer.
 *
 * Invariant: a watch stands in the turn in which something is next due for it, and in no other.
 */
export class WatchTimes {
  readonly #now: () => number;
  readonly #turns = new Map<number, Set<WatchTime>>();
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  #turn: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#turn = turnOf(now());
  }

  start(): void {
    this.#started = true;
    if (this.#turns.size > 0) this.#wake();
  }

  stop(): void {
    this.#started = false;
    this.#rest();
  }

  /** whether anything will be done without being asked */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  #wake(): void {
    // while nothing was due the turns were not counted
    if (this.#turns.size === 0) this.#turn = Math.max(this.#turn, turnOf(this.#now()));
    if (!this.#started || this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.pass(), TURN_MS);
    this.#timer.unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  add(watch: Timed, { timeoutMs, bookmarks }: { timeoutMs: number; bookmarks: boolean }): WatchTime {
    const now = this.#now();
    const endAt = now + timeoutMs;
    const time = { watch, endAt, bookmarkAt: bookmarks ? nextBookmark(now, endAt) : Number.POSITIVE_INFINITY, turn: 0 };
    this.#wake();
    this.#place(time);
    return time;
  }

  remove(time: WatchTime): void {
    const turn = this.#turns.get(time.turn);
    if (turn?.delete(time) && turn.size === 0) this.#turns.delete(time.turn);
  }

  /** Does all that is due by now. */
  pass(): void {
    const now = this.#now();
    for (const last = turnOf(now); this.#turn < last; this.#turn++) {
      const due = this.#turns.get(this.#turn);
      this.#turns.delete(this.#turn);
      for (const time of due ?? []) this.#act(time, now);
    }
    if (this.#turns.size === 0) this.#rest();
  }

  #act(time: WatchTime, now: number): void {
    if (now >= time.endAt) {
      time.watch.end();
      return;
    }
    if (now >= time.bookmarkAt) {
      time.bookmarkAt = nextBookmark(now, time.endAt);
      time.watch.bookmark();
    }
    this.#place(time);
  }

  #place(time: WatchTime): void {
    // what is due within a turn is done at its end, and not before
    time.turn = Math.max(this.#turn, turnOf(Math.min(time.endAt, time.bookmarkAt)));
    const turn = this.#turns.get(time.turn);
    if (turn === undefined) this.#turns.set(time.turn, new Set([time]));
    else turn.add(time);
  }
}

function turnOf(time: number): number {
  return Math.floor(time / TURN_MS);
}

/** About each minute, not all at once, and shortly before the end. */
function nextBookmark(now: number, endAt: number): number {
  const last = endAt - LAST_BOOKMARK_MS;
  if (now >= last) return Number.POSITIVE_INFINITY;
  return Math.min(last, now + BOOKMARK_MS * (0.9 + Math.random() / 5));
}
