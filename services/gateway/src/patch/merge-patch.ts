import { isJsonObject, type Json, type JsonObject, setOwn } from '@tidegate/schema';

/** RFC 7386: null removes, objects merge, everything else replaces. The current object is not changed. */
export function mergePatch(current: Json | undefined, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  const before = isJsonObject(current) ? current : {};
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(patch, key)) setOwn(result, key, before[key] as Json);
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (value === null) continue;
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    setOwn(result, key, isJsonObject(value) ? mergePatch(old, value) : value);
  }
  return result;
}
