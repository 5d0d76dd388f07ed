import { monitorEventLoopDelay } from 'node:perf_hooks';

const LOOK_MS = 50;
const RESOLUTION_MS = 2;
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

interface CapacityOptions {
  /** what was configured */
  readonly seats: number;
  readonly scale: (seats: number) => void;
  /** whether anybody waits for a seat, or all are taken */
  readonly isWanted: () => boolean;
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
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;
  #seats: number;

  constructor(options: CapacityOptions) {
    this.#options = options;
    this.#seats = options.seats;
  }

  start(): void {
    this.#delay.enable();
    this.#timer = setInterval(() => {
      const lateMs = this.#delay.count === 0 ? LOOK_MS : this.#delay.mean / 1e6 - RESOLUTION_MS;
      this.#delay.reset();
      this.look(lateMs);
    }, LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
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
