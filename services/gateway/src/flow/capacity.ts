import { monitorEventLoopDelay } from 'node:perf_hooks';

const LOOK_MS = 50;
const RESOLUTION_MS = 2;
/** after so many looks without a request the loop is not watched */
const QUIET_LOOKS = 20;
const SHRINK = 0.75;
const GROW = 1.1;
/** where nobody wants more than there are */
const RECOVER = 1.5;

interface Aim {
  /** a loop that comes round later than this has too much to do at once */
  readonly lateMs: number;
  readonly fewest: number;
}

/** Fewer seats than these would leave a loop idle while the stores answer: who is alone gets all there is. */
const ALONE: Aim = { lateMs: 2, fewest: 16 };
/** Others wait behind what was let in: they come before the last part of what one flow could have. */
const SHARED: Aim = { lateMs: 0.4, fewest: 2 };

type Delay = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'disable' | 'reset' | 'count' | 'mean'>;

interface CapacityOptions {
  /** of the event loop */
  readonly delay?: Delay;
  /** what was configured */
  readonly seats: number;
  readonly scale: (seats: number) => void;
  /** whether anybody waits for a seat, or all are taken */
  readonly isWanted: () => boolean;
  /** whether any request has a seat */
  readonly isBusy: () => boolean;
  /** whether requests of more than one flow have come of late */
  readonly isShared: () => boolean;
}

/**
 * How many requests this process serves at a time. One thread does all the work, so what is full is not a number of
 * requests but the loop: when it comes round late, whoever comes next waits behind all that were let in before, whatever
 * their level. So seats are taken away while the loop is late, and given back while it is not and somebody wants them.
 *
 * Invariant: never more than configured, never fewer than keep the stores busy.
 */
export class Capacity {
  readonly #options: CapacityOptions;
  readonly #delay: Delay;
  #timer: NodeJS.Timeout | undefined;
  #quietLooks = 0;
  #seats: number;

  constructor(options: CapacityOptions) {
    this.#options = options;
    this.#delay = options.delay ?? monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#seats = options.seats;
  }

  /** A request has come: from here on the loop is watched, until none has come for a while. */
  wake(): void {
    this.#quietLooks = 0;
    if (this.#timer !== undefined) return;
    this.#delay.enable();
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_MS);
    this.#timer.unref();
  }

  /** Each look at the loop costs a process that has nothing to do as much as one that has. */
  get isWatching(): boolean {
    return this.#timer !== undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#delay.disable();
  }

  #lookAgain(): void {
    const lateMs = this.#delay.count === 0 ? LOOK_MS : this.#delay.mean / 1e6 - RESOLUTION_MS;
    this.#delay.reset();
    this.look(lateMs);
    const isIdle = this.#seats >= this.#options.seats && !this.#options.isBusy();
    if (isIdle && ++this.#quietLooks >= QUIET_LOOKS) this.stop();
  }

  /** The loop came round so late, in the middle of the time since the last look. */
  look(lateMs: number): void {
    const { seats: configured, scale, isWanted, isShared } = this.#options;
    const aim = isShared() ? SHARED : ALONE;
    const isLate = lateMs > aim.lateMs;
    if (!isLate && (this.#seats >= configured || lateMs > aim.lateMs * 0.7)) return;
    const next = isLate ? Math.floor(this.#seats * SHRINK) : Math.ceil(this.#seats * (isWanted() ? GROW : RECOVER));
    this.#seats = Math.min(configured, Math.max(Math.min(aim.fewest, configured), next));
    scale(this.#seats);
  }
}

/** What is remembered: long enough to be a rate, short enough to be the present one. */
const SPAN_MS = 2000;
const LONGEST_SECONDS = 60;

/**
 * How fast requests are served, counted in two spans of time.
 *
 * Invariant: the rate is that of the last whole span and the part of this one that is over, so that it is never that of a
 * moment alone, and what was longer ago does not count.
 */
export class Throughput {
  readonly #now: () => number;
  #beganAt: number;
  #served = 0;
  #servedBefore = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#beganAt = now();
  }

  /** One was served. */
  note(): void {
    this.#turn();
    this.#served++;
  }

  /** How long so many take, at least a second: whole seconds, as clients are told. Where nothing is served nobody knows. */
  secondsFor(count: number): number {
    this.#turn();
    const perSecond = ((this.#served + this.#servedBefore) * 1000) / (SPAN_MS + this.#now() - this.#beganAt);
    if (count === 0) return 1;
    return perSecond === 0 ? LONGEST_SECONDS : Math.min(LONGEST_SECONDS, Math.max(1, Math.ceil(count / perSecond)));
  }

  #turn(): void {
    const spans = Math.floor((this.#now() - this.#beganAt) / SPAN_MS);
    if (spans === 0) return;
    this.#servedBefore = spans === 1 ? this.#served : 0;
    this.#served = 0;
    this.#beganAt += spans * SPAN_MS;
  }
}
