import type { RequestInfo } from '@tidegate/request-info';
import { type ApiError, internalError } from '@tidegate/status';
import type { User } from '../request/user.ts';

/** A running watch: whose it is, what it shows, and how it is told that it is over. */
export interface RunningWatch {
  readonly user: User;
  readonly info: RequestInfo;
  readonly watch: { fail(error: ApiError): void };
}

/** Answers at once, unless somebody else has to be asked. */
type Refuse = (user: User, info: RequestInfo) => ApiError | undefined | Promise<ApiError | undefined>;

/** At a microsecond or two each, this many hold up nobody. */
const TOGETHER = 500;

/**
 * The watches that run here, looked at again whenever rights change.
 *
 * Invariant: a change of rights is followed by a look at every watch that ran then, a few hundred in each turn of the
 * loop. Changes that come while a look is on are followed by one more.
 */
export class WatchRights {
  readonly #refuse: Refuse;
  readonly #running = new Set<RunningWatch>();
  #state: 'idle' | 'looking' | 'again' = 'idle';

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  /** Rights may have changed since the request was let in. */
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
    for (const running of all.slice(from, from + TOGETHER)) if (this.#running.has(running)) this.#check(running);
    if (from + TOGETHER < all.length) {
      setImmediate(() => this.#look(all, from + TOGETHER));
      return;
    }
    const isAgain = this.#state === 'again';
    this.#state = 'idle';
    if (isAgain) this.changed();
  }

  #check(running: RunningWatch): void {
    const refused = this.#refuse(running.user, running.info);
    if (!(refused instanceof Promise)) {
      this.#end(running, refused);
      return;
    }
    const failed = (cause: unknown) => internalError('it could not be found out who may do what', cause);
    void refused.catch(failed).then((error) => this.#end(running, error));
  }

  #end(running: RunningWatch, refused: ApiError | undefined): void {
    if (refused !== undefined && this.#running.has(running)) running.watch.fail(refused);
  }
}
