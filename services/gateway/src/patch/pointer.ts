import { isJsonObject, type Json } from '@tidegate/schema';

/** The keys that a JSON pointer (RFC 6901) names, outermost first; undefined: it is none. */
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

/** A place where a value stands, or may stand. */
export interface Place {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string;
  /** undefined: nothing stands there */
  readonly value: Json | undefined;
}

/** The place that the keys lead to; undefined: nothing can stand there. */
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

/** What stands at a key of its own, whatever its name. */
function valueIn(holder: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(holder)) return INDEX.test(key) ? holder[Number(key)] : undefined;
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}
