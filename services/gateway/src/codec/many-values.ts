import { isJsonObject, type Json } from '@tidegate/schema';
import { requestEntityTooLarge } from '@tidegate/status';

/** Far more than anybody writes; what these make at most is judged, and written again, in a quarter of a second. */
const MOST_IN_LIST = 20_000;
const MOST_KEYS = 50_000;
const MOST_OBJECTS = 50_000;
/** A shorter body cannot have too many of anything: an object takes two bytes at least, in Protobuf. */
const SHORTEST = 2 * MOST_IN_LIST;

/**
 * Refuses a body that consists of very many very small things. Its size says little of the work that it is: three MiB may
 * be a million empty containers, each of which is given defaults, judged and owned.
 */
export function refuseManyValues(value: Json, bytes: number): void {
  if (bytes < SHORTEST) return;
  let objects = 0;
  const look = (one: Json, path: string): void => {
    if (Array.isArray(one)) {
      // what is no object costs little, however many there are
      if (one.length > MOST_IN_LIST && one.some(isObject)) throw tooMany(path, 'items', one.length, MOST_IN_LIST);
      for (const [i, item] of one.entries()) if (isObject(item)) look(item, `${path}[${i}]`);
      return;
    }
    if (!isJsonObject(one)) return;
    if (++objects > MOST_OBJECTS) throw tooMany('', 'objects in it', objects, MOST_OBJECTS);
    const keys = Object.keys(one);
    if (keys.length > MOST_KEYS) throw tooMany(path, 'keys', keys.length, MOST_KEYS);
    for (const key of keys) {
      const below = one[key] as Json;
      if (isObject(below)) look(below, path === '' ? key : `${path}.${key}`);
    }
  };
  look(value, '');
}

function isObject(value: Json): value is Json & object {
  return typeof value === 'object' && value !== null;
}

function tooMany(path: string, what: string, count: number, most: number): Error {
  const counted = count > most + 1 ? count : `more than ${most}`;
  return requestEntityTooLarge(
    `${path === '' ? 'the body' : path} has ${counted} ${what}; at most ${most} are allowed`,
  );
}
