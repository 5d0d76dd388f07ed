import type { Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { ObjectConversions } from '../request/resource-request.ts';
import type { Conversions } from './conversions.ts';

interface Wanted {
  readonly object: JsonObject;
  readonly from: Kind;
  readonly to: Kind;
}

/** An object is wanted in another version by who cannot wait for it. */
class Unconverted extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super(`an object of ${wanted.from.apiVersion} is wanted in ${wanted.to.apiVersion}`);
    this.wanted = wanted;
  }
}

/**
 * The objects of one request in other versions: for whoever has a say in it, and for whose its fields are.
 *
 * Invariant: what was converted once stays for as long as the request, so that each run of a replay comes further than
 * the one before.
 */
export class RequestConversions implements ObjectConversions {
  readonly #conversions: Conversions;
  readonly #done = new Map<string, JsonObject>();

  constructor(conversions: Conversions) {
    this.#conversions = conversions;
  }

  /** The object in another version; it is for reading only. Ends the run of a replay where it is not there yet. */
  now(object: JsonObject, from: Kind, to: Kind): JsonObject {
    if (from.apiVersion === to.apiVersion) return object;
    // a beginning, which has nothing that could be converted
    if (object.metadata === undefined) return { ...object, kind: to.entry.kind, apiVersion: to.apiVersion };
    const done = this.#done.get(nameOf({ object, from, to }));
    if (done === undefined) throw new Unconverted({ object, from, to });
    return done;
  }

  /** Its own copy of the object in another version. */
  async later(object: JsonObject, from: Kind, to: Kind): Promise<JsonObject> {
    return structuredClone(await this.replay([], () => this.now(object, from, to)));
  }

  /** Runs this until all that it wants converted is there. What earlier runs have warned of is taken back. */
  async replay<T>(warnings: string[], run: () => T): Promise<T> {
    const told = warnings.length;
    for (;;) {
      try {
        return run();
      } catch (error) {
        if (!(error instanceof Unconverted)) throw error;
        warnings.length = told;
        await this.#supply(error.wanted);
      }
    }
  }

  async #supply(wanted: Wanted): Promise<void> {
    const { object, from, to } = wanted;
    // the kind is said even where a view of the object leaves it out
    const whole = { ...object, kind: from.entry.kind, apiVersion: from.apiVersion };
    const [converted] = await this.#conversions.convert(from, to, [whole]);
    this.#done.set(nameOf(wanted), converted as JsonObject);
  }
}

function nameOf({ object, from, to }: Wanted): string {
  return `${from.apiVersion} ${to.apiVersion} ${JSON.stringify(object)}`;
}
