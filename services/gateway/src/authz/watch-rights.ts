import type { RequestInfo } from '@tidegate/request-info';
import type { ApiError } from '@tidegate/status';
import type { User } from '../authn/user.ts';

/** A running watch: whose it is, what it shows, and how it is told that it is over. */
export interface RunningWatch {
  readonly user: User;
  readonly info: RequestInfo;
  readonly watch: { fail(error: ApiError): void };
}

type Refuse = (user: User, info: RequestInfo) => ApiError | undefined;

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

  #check({ user, info, watch }: RunningWatch): void {
    const refused = this.#refuse(user, info);
    if (refused !== undefined) watch.fail(refused);
  }
}
