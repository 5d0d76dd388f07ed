import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { mediaType } from '../codec/media-types.ts';
import type { RequestSteps } from '../request/resource-request.ts';

/** Processing so few bytes takes some ten milliseconds at most, whatever they contain. */
const SMALL_BYTES = 16 << 10;
/** Decoding, validating and encoding so many values takes about ten milliseconds. */
const MANY_VALUES = 2000;
/** Each pass over so many bytes takes some milliseconds, whatever they contain. */
const MANY_BYTES = 256 << 10;
/** Steps may run in sequence for this long before a pause. */
const MOST_MS = 20;
/** A pause is checked at this interval, and ends early when no other request is served. */
const LOOK_MS = 2;
/** After this much time in steps, much garbage is likely. */
const COLLECT_AFTER_MS = 500;

/** Whether this JSON is processed in steps: by the number of its values, or by its length. */
export function isLargeJson(json: Uint8Array): boolean {
  if (json.length <= SMALL_BYTES) return false;
  if (json.length > MANY_BYTES) return true;
  let values = 0;
  // punctuation within strings counts as well, which does no harm
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
 * Runs the processing of large objects in steps. Each step blocks the event loop; after it, other requests get the loop
 * for as long as the steps took, or until none is served. So no request waits for more than one step. A begun request
 * continues before a new one begins, so that few large objects are in memory at a time.
 *
 * Invariant: `#isTaken` holds during a step and the pause after it. Only then do requests wait in `#begun` or `#fresh`.
 * `#spentMs` is the time of the steps since the last pause.
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

  /** The steps of one request. */
  of(isLarge: boolean): RequestSteps | undefined {
    return isLarge ? new LargeRequestSteps(this) : undefined;
  }

  /** Counts an ordinary request, until the returned function is called. */
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

  /** Lets the event loop accept new requests before it is decided that none is served. */
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

/** The heap of a gateway without large objects stays below this. */
const MUCH_BYTES = 128 << 20;

/**
 * Collects the garbage of large objects. V8 alone waits until the garbage is several times the live heap, which is
 * hundreds of MiB after some large objects. Without `--expose-gc` this does nothing.
 */
export function collectGarbage(): void {
  if (getHeapStatistics().used_heap_size > MUCH_BYTES) void globalThis.gc?.({ type: 'major', execution: 'async' });
}
