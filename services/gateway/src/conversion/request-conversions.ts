import type { Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { ObjectConversions } from '../request/resource-request.ts';
import type { Conversions } from './conversions.ts';

interface Needed {
  readonly object: JsonObject;
  readonly from: Kind;
  readonly to: Kind;
}

/** Thrown by synchronous code that needs an object in a version that is not converted yet. */
class Unconverted extends Error {
  readonly needed: Needed;

  constructor(needed: Needed) {
    super(`an object of ${needed.from.apiVersion} is needed in ${needed.to.apiVersion}`);
    this.needed = needed;
  }
}

/**
 * The objects of one request in other versions, for admission and for field ownership.
 *
 * Invariant: converted objects are kept for the whole request, so each run of `replay` gets further than the one
 * before.
 */
export class RequestConversions implements ObjectConversions {
  readonly #conversions: Conversions;
  readonly #done = new Map<string, JsonObject>();

  constructor(conversions: Conversions) {
    this.#conversions = conversions;
  }

  /**
   * The object in another version, for reading only. Throws Unconverted if it is not converted yet; `replay` handles
   * that.
   */
  converted(object: JsonObject, from: Kind, to: Kind): JsonObject {
    if (from.apiVersion === to.apiVersion) return object;
    // an object without metadata is empty: there is nothing to convert
    if (object.metadata === undefined) return { ...object, kind: to.entry.kind, apiVersion: to.apiVersion };
    const done = this.#done.get(keyOf({ object, from, to }));
    if (done === undefined) throw new Unconverted({ object, from, to });
    return done;
  }

  /** A copy of the object in another version. */
  async convertedCopy(object: JsonObject, from: Kind, to: Kind): Promise<JsonObject> {
    return structuredClone(await this.replay([], () => this.converted(object, from, to)));
  }

  /** Repeats `run` until all conversions that it needs are done. Warnings of unfinished runs are removed. */
  async replay<T>(warnings: string[], run: () => T): Promise<T> {
    const warningCount = warnings.length;
    for (;;) {
      try {
        return run();
      } catch (error) {
        if (!(error instanceof Unconverted)) throw error;
        warnings.length = warningCount;
        await this.#convert(error.needed);
      }
    }
  }

  async #convert(needed: Needed): Promise<void> {
    const { object, from, to } = needed;
    // kind and apiVersion may be missing, but the webhook needs them
    const whole = { ...object, kind: from.entry.kind, apiVersion: from.apiVersion };
    const [converted] = await this.#conversions.convert(from, to, [whole]);
    this.#done.set(keyOf(needed), converted as JsonObject);
  }
}

function keyOf({ object, from, to }: Needed): string {
  return `${from.apiVersion} ${to.apiVersion} ${JSON.stringify(object)}`;
}
