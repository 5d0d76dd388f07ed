import type { Json, JsonObject } from '@tidegate/schema';
import type { Work } from './work.ts';

/** They mean the same: numbers by what they are worth, objects in whatever order. */
export function isSameJson(a: Json, b: Json, work: Work): boolean {
  work.compares(1);
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) work.reads(a.length);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && isSameList(a, b, work);
  }
  return isSameObject(a, b, work);
}

function isSameList(a: readonly Json[], b: readonly Json[], work: Work): boolean {
  return a.length === b.length && a.every((item, i) => isSameJson(item, b[i] as Json, work));
}

function isSameObject(a: JsonObject, b: JsonObject, work: Work): boolean {
  const keys = Object.keys(a);
  const count = Object.keys(b).length;
  work.compares(keys.length + count);
  if (keys.length !== count) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key] as Json, b[key] as Json, work));
}
