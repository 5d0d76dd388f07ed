import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { mediaType } from '../codec/media-types.ts';
import type { RequestSteps } from '../request/resource-request.ts';

/** Processing so few bytes takes some ten milliseconds at most, whatever they contain. */
const SMALL_BYTES = 16 << 10;
/** Decoding, validating and encoding so many values takes about ten milliseconds. */
const LARGE_VALUES = 2000;
/** Each pass over so many bytes takes some milliseconds, whatever they contain. */
const LARGE_BYTES = 256 << 10;
/** Steps may run in sequence for this long before a pause. */
const MAX_SEQUENCE_MS = 20;
/** A pause is checked at this interval, and ends early when no other request is served. */
const CHECK_INTERVAL_MS = 2;
/** After this much time in steps, much garbage is likely. */
const COLLECT_AFTER_MS = 500;

/** Whether this JSON is processed in steps: by the number of its values, or by its length. */
export function isLargeJson(json: Uint8Array): boolean {
  if (json.length <= SMALL_BYTES) return false;
  if (json.length > LARGE_BYTES) return true;
  let values = 0;
  // punctuation within strings counts as well, which does no harm
  for (const byte of json)
    if ((byte === 0x2c || byte === 0x7b || byte === 0x5b) && ++values > LARGE_VALUES) return true;
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
 * for as long as the steps took, or until none is served. So no request waits for more than one step. A started request
 * continues before a new one begins, so that few large objects are in memory at a time.
 *
 * Invariant: `#isBusy` is true during a step and the pause after it. Only then do requests wait in `#started` or `#new`.
 * `#spentMs` is the time of the steps since the last pause.
 */
export class LargeSteps {
  readonly #now: () => number;
  readonly #wait: (ms: number, then: () => void) => void;
  readonly #started: Array<() => void> = [];
  readonly #new: Array<() => void> = [];
  readonly #collectGarbage: () => void;
  #isBusy = false;
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

  async do<T>(step: () => T, hasStarted: boolean): Promise<T> {
    if (this.#isBusy) {
      const { promise, resolve } = Promise.withResolvers<void>();
      (hasStarted ? this.#started : this.#new).push(resolve);
      await promise;
    }
    this.#isBusy = true;
    const from = this.#now();
    try {
      return step();
    } finally {
      this.#spentMs += this.#now() - from;
      if (this.#spentMs < MAX_SEQUENCE_MS) this.#next();
      else {
        this.#collect(this.#spentMs);
        this.#pause(this.#spentMs);
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
  #pause(leftMs: number): void {
    this.#wait(Math.min(leftMs, CHECK_INTERVAL_MS), () => {
      if (leftMs <= CHECK_INTERVAL_MS || this.#others === 0) this.#next();
      else this.#pause(leftMs - CHECK_INTERVAL_MS);
    });
  }

  #next(): void {
    const next = this.#started.shift() ?? this.#new.shift();
    if (next === undefined) this.#isBusy = false;
    else next();
  }
}

/** The steps of one request. */
export class LargeRequestSteps implements RequestSteps {
  readonly #all: LargeSteps;
  #hasStarted = false;

  constructor(all: LargeSteps) {
    this.#all = all;
  }

  async do<T>(step: () => T): Promise<T> {
    const hasStarted = this.#hasStarted;
    this.#hasStarted = true;
    return this.#all.do(step, hasStarted);
  }
}

/** The heap of a gateway without large objects stays below this. */
const COLLECT_ABOVE_BYTES = 128 << 20;

/**
 * Collects the garbage of large objects. V8 alone waits until the garbage is several times the live heap, which is
 * hundreds of MiB after some large objects. Without `--expose-gc` this does nothing.
 */
export function collectGarbage(): void {
  if (getHeapStatistics().used_heap_size > COLLECT_ABOVE_BYTES)
    void globalThis.gc?.({ type: 'major', execution: 'async' });
}
