import { setInterval } from 'node:timers';

/** The operations of a watch that are timed. */
interface Timed {
  bookmark(): void;
  end(): void;
}

/** The resolution of watch times. */
const TURN_MS = 250;
const BOOKMARK_MS = 60_000;
/** the last bookmark is sent this long before the server ends a watch */
const LAST_BOOKMARK_MS = 2000;

/** The schedule of one watch. */
export interface WatchTime {
  readonly watch: Timed;
  readonly endAt: number;
  bookmarkAt: number;
  turn: number;
}

/**
 * Schedules the bookmarks and the end of all watches with one timer, because thousands of watches are mostly idle.
 * Without a watch no timer runs.
 *
 * Invariant: each watch is in exactly one turn, that of its next due action.
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

  /** whether the timer runs */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  #wake(): void {
    // the turns were not counted while no watch existed
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

  /** Executes all due actions. */
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
    // an action that is due within a turn is executed at its end, never earlier
    time.turn = Math.max(this.#turn, turnOf(Math.min(time.endAt, time.bookmarkAt)));
    const turn = this.#turns.get(time.turn);
    if (turn === undefined) this.#turns.set(time.turn, new Set([time]));
    else turn.add(time);
  }
}

function turnOf(time: number): number {
  return Math.floor(time / TURN_MS);
}

/** About once a minute, with jitter, and shortly before the end. */
function nextBookmark(now: number, endAt: number): number {
  const last = endAt - LAST_BOOKMARK_MS;
  if (now >= last) return Number.POSITIVE_INFINITY;
  return Math.min(last, now + BOOKMARK_MS * (0.9 + Math.random() / 5));
}
