import { isJsonObject, type Json } from '@tidegate/schema';

/** The keys of a JSON pointer (RFC 6901), outermost first; undefined: invalid. */
export function pointerKeys(pointer: unknown): string[] | undefined {
  if (typeof pointer !== 'string' || BAD_ESCAPE.test(pointer)) return undefined;
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const BAD_ESCAPE = /~(?![01])/;
const INDEX = /^(?:0|[1-9]\d*)$/;

/** The location of an existing or new value. */
export interface Place {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string;
  /** undefined: the location is empty */
  readonly value: Json | undefined;
}

/** The location that the keys lead to; undefined: no value is possible there. */
export function placeOf(document: Json, keys: readonly string[]): Place | undefined {
  const key = keys.at(-1);
  if (key === undefined) return undefined;
  let holder: Json | undefined = document;
  for (const outer of keys.slice(0, -1)) holder = valueIn(holder, outer);
  if (Array.isArray(holder)) {
    const isPlace = key === '-' || (INDEX.test(key) && Number(key) <= holder.length);
    return isPlace ? { holder, key, value: valueIn(holder, key) } : undefined;
  }
  return isJsonObject(holder) ? { holder, key, value: valueIn(holder, key) } : undefined;
}

/** The value of an own property, whatever its name. */
function valueIn(holder: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(holder)) return INDEX.test(key) ? holder[Number(key)] : undefined;
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}
