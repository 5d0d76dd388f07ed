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
