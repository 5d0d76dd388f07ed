import { performance } from 'node:perf_hooks';
import type { ResourceRequest } from '../gateway.ts';

/** An object or a body of fewer bytes is written in one go: that takes some milliseconds at most. */
export const LARGE_BYTES = 64 << 10;
/** Steps may follow each other for so long before they rest. */
const MOST_MS = 20;

interface LargeStepsOptions {
  readonly now?: () => number;
  readonly wait?: (ms: number, then: () => void) => void;
}

/**
 * The steps in which large objects are written. Each holds the event loop while it lasts; after it, everybody else has the
 * loop for as long as the steps took, whoever else has something large to write. So nobody waits for more than one of them.
 *
 * Invariant: one step is done at a time, in the order in which they were asked for. `#mayBegin` settles when the next may
 * begin; `#spentMs` is what steps took since the last rest.
 */
export class LargeSteps {
  readonly #now: () => number;
  readonly #wait: (ms: number, then: () => void) => void;
  #mayBegin: Promise<void> = Promise.resolve();
  #spentMs = 0;

  constructor({
    now = () => performance.now(),
    wait = (ms, then) => void setTimeout(then, ms),
  }: LargeStepsOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  async do<T>(step: () => T): Promise<T> {
    const mayBegin = this.#mayBegin;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#mayBegin = promise;
    await mayBegin;
    const begun = this.#now();
    try {
      return step();
    } finally {
      this.#spentMs += this.#now() - begun;
      if (this.#spentMs < MOST_MS) resolve();
      else {
        this.#wait(this.#spentMs, resolve);
        this.#spentMs = 0;
      }
    }
  }
}

/** A step of a write: of a large one when it is its turn, of any other at once. */
export function inStep<T>({ steps }: Pick<ResourceRequest, 'steps'>, step: () => T): T | Promise<T> {
  return steps === undefined ? step() : steps.do(step);
}
