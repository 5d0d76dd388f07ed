import { isJsonObject, type JsonObject } from '@tidegate/schema';

export function partOf(object: JsonObject, name: string): JsonObject {
  const part = object[name];
  return isJsonObject(part) ? part : {};
}

/** The objects of a list that may not be there. */
export function listOf(object: JsonObject, name: string): JsonObject[] {
  const list = object[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
