import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { mediaType } from '../codec/media-types.ts';
import type { RequestSteps } from '../request/resource-request.ts';

/** Whatever so few bytes are made into, it takes some ten milliseconds at most. */
const SMALL_BYTES = 16 << 10;
/** To read, judge, own and write so many values takes about ten milliseconds. */
const MANY_VALUES = 2000;
/** So many bytes take some milliseconds each time that they are looked through, whatever they say. */
const MANY_BYTES = 256 << 10;
/** Steps may follow each other for so long before they rest. */
const MOST_MS = 20;
/** A rest ends early where nobody else is served. */
const LOOK_MS = 2;
/** After so long a time of steps there may be much garbage. */
const COLLECT_AFTER_MS = 500;

/** Whether this JSON is written in steps: by how many values stand in it, or where it is very long. */
export function isLargeJson(json: Uint8Array): boolean {
  if (json.length <= SMALL_BYTES) return false;
  if (json.length > MANY_BYTES) return true;
  let values = 0;
  // a comma, a brace or a bracket within a text counts as well, and does no harm
  for (const byte of json) if ((byte === 0x2c || byte === 0x7b || byte === 0x5b) && ++values > MANY_VALUES) return true;
  return false;
}

/** The same of a body in any encoding. */
export function isLargeBody(body: Uint8Array, contentType: string | undefined): boolean {
  if (body.length <= SMALL_BYTES) return false;
  const type = mediaType(contentType);
  return type === '' || type.endsWith('json') ? isLargeJson(body) : true;
}

interface LargeStepsOptions {
  readonly now?: () => number;
  readonly wait?: (ms: number, then: () => void) => void;
  readonly collectGarbage?: () => void;
}

/**
 * The steps in which large objects are written. Each holds the event loop while it lasts; after it, everybody else has the
 * loop for as long as the steps took, or until nobody else is served. So nobody waits for more than one of them.
 * What has been begun goes on before anything else is begun: few large objects are in memory at a time.
 *
 * Invariant: `#isTaken` while a step is done or rested from. Only then anybody waits in `#begun` or `#fresh`. `#spentMs` is
 * what steps took since the last rest.
 */
export class LargeSteps {
  readonly #now: () => number;
  readonly #wait: (ms: number, then: () => void) => void;
  readonly #begun: Array<() => void> = [];
  readonly #fresh: Array<() => void> = [];
  readonly #collectGarbage: () => void;
  #isTaken = false;
  #spentMs = 0;
  #sinceCollectedMs = 0;
  #others = 0;

  constructor({
    now = () => performance.now(),
    wait = (ms, then) => void setTimeout(then, ms),
    collectGarbage = () => {},
  }: LargeStepsOptions = {}) {
    this.#now = now;
    this.#wait = wait;
    this.#collectGarbage = collectGarbage;
  }

  /** For one request. */
  of(isLarge: boolean): RequestSteps | undefined {
    return isLarge ? new LargeRequestSteps(this) : undefined;
  }

  /** A request that is not large is served from here on, until the answer is called. */
  besides(): () => void {
    this.#others++;
    return () => {
      this.#others--;
    };
  }

  async do<T>(step: () => T, hasBegun: boolean): Promise<T> {
    if (this.#isTaken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      (hasBegun ? this.#begun : this.#fresh).push(resolve);
      await promise;
    }
    this.#isTaken = true;
    const from = this.#now();
    try {
      return step();
    } finally {
      this.#spentMs += this.#now() - from;
      if (this.#spentMs < MOST_MS) this.#next();
      else {
        this.#collect(this.#spentMs);
        this.#rest(this.#spentMs);
        this.#spentMs = 0;
      }
    }
  }

  #collect(spentMs: number): void {
    this.#sinceCollectedMs += spentMs;
    if (this.#sinceCollectedMs < COLLECT_AFTER_MS) return;
    this.#sinceCollectedMs = 0;
    this.#collectGarbage();
  }

  /** Who came meanwhile is heard before it is said that nobody is served. */
  #rest(leftMs: number): void {
    this.#wait(Math.min(leftMs, LOOK_MS), () => {
      if (leftMs <= LOOK_MS || this.#others === 0) this.#next();
      else this.#rest(leftMs - LOOK_MS);
    });
  }

  #next(): void {
    const next = this.#begun.shift() ?? this.#fresh.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

/** The steps of one request. */
export class LargeRequestSteps implements RequestSteps {
  readonly #all: LargeSteps;
  #hasBegun = false;

  constructor(all: LargeSteps) {
    this.#all = all;
  }

  async do<T>(step: () => T): Promise<T> {
    const hasBegun = this.#hasBegun;
    this.#hasBegun = true;
    return this.#all.do(step, hasBegun);
  }
}

/** A gateway that has nothing large to do uses less. */
const MUCH_BYTES = 128 << 20;

/**
 * Gives memory back that large objects have left behind. V8 by itself waits until there is several times as much of it as
 * is in use, which is hundreds of MiB after some large objects. Nothing is done where Node does not let us (`--expose-gc`).
 */
export function collectGarbage(): void {
  if (getHeapStatistics().used_heap_size > MUCH_BYTES) void globalThis.gc?.({ type: 'major', execution: 'async' });
}
