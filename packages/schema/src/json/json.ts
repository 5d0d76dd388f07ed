/** An integer that is not safe in a double is a bigint; all other numbers are numbers. */
export type Json = string | number | bigint | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * How deep arrays and objects may be nested. Every walk over a value is recursive, and the one that needs the most
 * stack (printing YAML) must not overflow it.
 */
export const MAX_DEPTH = 512;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in a list field; empty if the field is missing or not a list. */
export function listOf(object: unknown, name: string): JsonObject[] {
  const list = isJsonObject(object) ? object[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Whether a value is nested deeper than allowed. The walk ends at the limit. */
export function isTooDeep(value: Json, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (isTooDeep(item, levels - 1)) return true;
  }
  return false;
}

/** A deep copy; for small values it is several times faster than structuredClone. */
export function copyOf<T extends Json>(value: T): T {
  return copied(value) as T;
}

function copied(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copied(value[key] as Json));
  return copy;
}

/** Sets an own property of any name: a plain assignment to `__proto__` would change the prototype. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/**
 * Freezes a value with all its parts, so that several users can share it. Members that are undefined are removed, as
 * they are not in its JSON. Parts that are frozen already are not visited again.
 */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    const parts = value as Record<string, unknown>;
    for (const key of Object.keys(parts)) {
      if (parts[key] === undefined) delete parts[key];
      else frozen(parts[key]);
    }
    Object.freeze(value);
  }
  return value;
}
