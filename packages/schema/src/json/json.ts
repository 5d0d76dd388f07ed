/** A whole number that a double cannot hold is a bigint: all others are numbers, and nothing else ever is a bigint. */
export type Json = string | number | bigint | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * How deep arrays and objects may stand in each other. Every walk over a value is recursive, and the deepest of them (to
 * write YAML) must end before the stack does.
 */
export const MAX_DEPTH = 512;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list. A field that is missing or no list has none. */
export function listOf(object: unknown, name: string): JsonObject[] {
  const list = isJsonObject(object) ? object[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Deeper than any value may be. It looks no further than that. */
export function isTooDeep(value: Json, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (isTooDeep(item, levels - 1)) return true;
  }
  return false;
}

/** A copy that shares nothing with the value: of small values several times faster than a structured clone. */
export function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyOf(value[key] as Json));
  return copy;
}

/** Sets an own property whatever its name: a plain assignment to `__proto__` would change the prototype instead. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
