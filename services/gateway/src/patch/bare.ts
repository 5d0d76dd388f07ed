import type { Json, JsonObject } from '@tidegate/schema';

/** A copy whose objects have no prototype: a library may set any key of them, and it is a key like all. */
export function bareCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(bareCopy);
  const copy = Object.create(null) as JsonObject;
  for (const key of Object.keys(value)) copy[key] = bareCopy(value[key] as Json);
  return copy;
}
