import { monitorEventLoopDelay } from 'node:perf_hooks';

const LOOK_MS = 50;
const RESOLUTION_MS = 2;
/** after so many samples without concurrent requests the event loop is no longer sampled */
const QUIET_LOOKS = 20;
const SHRINK = 0.75;
const GROW = 1.1;
/** while no request waits for a seat */
const RECOVER = 1.5;

interface Aim {
  /** a longer delay of the event loop means that the process is overloaded */
  readonly lateMs: number;
  readonly fewest: number;
}

/** With fewer seats the event loop would idle while the stores answer; a single flow gets at least these. */
const ALONE: Aim = { lateMs: 2, fewest: 16 };
/** The seats that are never removed. */
export const FEWEST_SEATS = 2;
/** With several flows fewer seats suffice, because other flows wait behind the requests that are already seated. */
const SHARED: Aim = { lateMs: 0.4, fewest: FEWEST_SEATS };

type Delay = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'disable' | 'reset' | 'count' | 'mean'>;

interface CapacityOptions {
  /** samples the delay of the event loop */
  readonly delay?: Delay;
  /** the configured number of seats */
  readonly seats: number;
  readonly scale: (seats: number) => void;
  /** whether a request waits for a seat, or all seats are taken */
  readonly isWanted: () => boolean;
  /** whether more seats are taken than would be left in any case */
  readonly isBusy: () => boolean;
  /** whether requests of several flows arrived recently */
  readonly isShared: () => boolean;
}

/**
 * Adapts the number of requests that this process serves at a time. One thread does all the work, so the limit is not a
 * number of requests but the event loop: when it is delayed, every new request waits behind all seated ones, whatever
 * its level. So seats are removed while the loop is delayed, and restored while it is not and requests wait.
 *
 * Invariant: never more seats than configured, never fewer than keep the stores busy.
 */
export class Capacity {
  readonly #options: CapacityOptions;
  readonly #delay: Delay;
  #timer: NodeJS.Timeout | undefined;
  #isSampling = false;
  #quietLooks = 0;
  #seats: number;

  constructor(options: CapacityOptions) {
    this.#options = options;
    this.#delay = options.delay ?? monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#seats = options.seats;
  }

  /**
   * A request has arrived: starts to sample the loop if there are others now and a moment later, until that has not been
   * so for a while. The samples wake the process 500 times a second, which is more work than a burst of a few requests.
   */
  wake(): void {
    if (!this.#options.isBusy()) return;
    this.#quietLooks = 0;
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_MS);
    this.#timer.unref();
  }

  /** Whether there are concurrent requests, or were a moment ago. */
  get isWatching(): boolean {
    return this.#timer !== undefined;
  }

  /** Stops sampling, which would cost an idle process as much as a busy one. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#isSampling = false;
    this.#delay.disable();
  }

  #lookAgain(): void {
    if (this.#isSampling) this.#sample();
    else if (this.#options.isBusy()) this.#startSampling();
    else this.stop();
  }

  #startSampling(): void {
    this.#delay.enable();
    this.#isSampling = true;
  }

  #sample(): void {
    const lateMs = this.#delay.count === 0 ? LOOK_MS : this.#delay.mean / 1e6 - RESOLUTION_MS;
    this.#delay.reset();
    this.look(lateMs);
    const isIdle = this.#seats >= this.#options.seats && !this.#options.isBusy();
    if (isIdle && ++this.#quietLooks >= QUIET_LOOKS) this.stop();
  }

  /** The median delay of the loop since the last sample. */
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

/** The span of the measured rate: long enough to be a rate, short enough to be current. */
const SPAN_MS = 2000;
const LONGEST_SECONDS = 60;

/**
 * Measures the rate of served requests in two spans of time.
 *
 * Invariant: the rate covers the last whole span and the elapsed part of this one, so that it never covers only a
 * moment, and older requests do not count.
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

  /** Counts a served request. */
  note(): void {
    this.#turn();
    this.#served++;
  }

  /** The time for so many requests in whole seconds, at least one: the value of Retry-After. The longest time while none is served. */
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
