import { isJsonObject, type Json } from '@tidegate/schema';
import { requestEntityTooLarge } from '@tidegate/status';

/** Far more than anybody writes; what so many make is judged, owned and written again in about a quarter of a second. */
const MOST_LISTED = 15_000;
const MOST_KEYS = 50_000;
/** Large definitions have twenty thousand. */
const MOST_OBJECTS = 50_000;
/** A shorter body cannot have too many of anything: an object takes two bytes at least, in Protobuf. */
const SHORTEST = 2 * MOST_LISTED;

/**
 * Refuses a body that consists of very many very small things. Its size says little of the work that it is: three MiB may
 * be a million empty containers, each of which is given defaults, judged and owned.
 */
export function refuseManyValues(value: Json, bytes: number): void {
  if (bytes >= SHORTEST) new Count().look(value, '');
}

class Count {
  #objects = 0;
  /** those that stand in lists */
  #listed = 0;

  look(value: Json, path: string): void {
    if (Array.isArray(value)) this.#lookAtList(value, path);
    else if (isJsonObject(value)) {
      if (++this.#objects > MOST_OBJECTS) throw tooMany('the body has', MOST_OBJECTS, 'objects');
      const keys = Object.keys(value);
      if (keys.length > MOST_KEYS) throw tooMany(`${path} has`, MOST_KEYS, 'keys');
      for (const key of keys) {
        const below = value[key] as Json;
        if (isObject(below)) this.look(below, path === '' ? key : `${path}.${key}`);
      }
    }
  }

  /** What is no object costs little, however many there are. */
  #lookAtList(items: readonly Json[], path: string): void {
    for (const [i, item] of items.entries()) {
      if (!isObject(item)) continue;
      if (++this.#listed > MOST_LISTED) throw tooMany(`up to ${path}[${i}], the lists have`, MOST_LISTED, 'objects');
      this.look(item, `${path}[${i}]`);
    }
  }
}

function isObject(value: Json): value is Json & object {
  return typeof value === 'object' && value !== null;
}

function tooMany(where: string, most: number, what: string): Error {
  return requestEntityTooLarge(`${where} more than ${most} ${what}`);
}
