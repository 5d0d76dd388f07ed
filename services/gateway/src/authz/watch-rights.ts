import type { RequestInfo } from '@tidegate/request-info';
import { type ApiError, internalError } from '@tidegate/status';
import type { User } from '../request/user.ts';

/** A running watch: its user, its request, and the handle that ends it. */
export interface RunningWatch {
  readonly user: User;
  readonly info: RequestInfo;
  readonly watch: { fail(error: ApiError): void };
}

/** Synchronous, unless a webhook must be asked. */
type Refuse = (user: User, info: RequestInfo) => ApiError | undefined | Promise<ApiError | undefined>;

/** At a microsecond or two each, so many checks do not block the event loop noticeably. */
const CHECKS_PER_TURN = 500;

/**
 * The running watches of this process; they are authorized again whenever rights change.
 *
 * Invariant: after a change of rights every running watch is checked, a few hundred in each turn of the event loop.
 * Changes during such a pass cause one more pass.
 */
export class WatchRights {
  readonly #refuse: Refuse;
  readonly #running = new Set<RunningWatch>();
  #state: 'idle' | 'looking' | 'again' = 'idle';

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  /** Checks at once, because rights may have changed since the request was authorized. */
  add(watch: RunningWatch): void {
    this.#running.add(watch);
    this.#check(watch);
  }

  remove(watch: RunningWatch): void {
    this.#running.delete(watch);
  }

  changed(): void {
    if (this.#running.size === 0) return;
    if (this.#state === 'idle') setImmediate(() => this.#look([...this.#running], 0));
    this.#state = this.#state === 'idle' ? 'looking' : 'again';
  }

  #look(all: readonly RunningWatch[], from: number): void {
    for (const running of all.slice(from, from + CHECKS_PER_TURN)) if (this.#running.has(running)) this.#check(running);
    if (from + CHECKS_PER_TURN < all.length) {
      setImmediate(() => this.#look(all, from + CHECKS_PER_TURN));
      return;
    }
    const isAgain = this.#state === 'again';
    this.#state = 'idle';
    if (isAgain) this.changed();
  }

  #check(running: RunningWatch): void {
    const error = this.#refuse(running.user, running.info);
    if (!(error instanceof Promise)) {
      this.#end(running, error);
      return;
    }
    const failed = (cause: unknown) => internalError('the watch could not be authorized again', cause);
    void error.catch(failed).then((late) => this.#end(running, late));
  }

  #end(running: RunningWatch, error: ApiError | undefined): void {
    if (error !== undefined && this.#running.has(running)) running.watch.fail(error);
  }
}
