import { badRequest } from '@tidegate/status';
import { isJsonObject, type Json, type JsonObject, setOwn } from './json/json.ts';
import type { Schema } from './schema.ts';

/**
 * Kubernetes' strategic merge: like a merge patch, but lists whose schema says so are merged by value or by
 * key, and `$patch`, `$retainKeys`, `$setElementOrder/x` and `$deleteFromPrimitiveList/x` direct it.
 */
export function strategicMerge(schema: Schema, current: Json, patch: JsonObject): JsonObject {
  return mergeObject(schema, isJsonObject(current) ? current : {}, patch);
}

const ORDER = '$setElementOrder/';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';

function mergeObject(schema: Schema, current: JsonObject, patch: JsonObject): JsonObject {
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  if (patch.$patch === 'delete') return {};
  let result: JsonObject = {};
  for (const key of Object.keys(current)) setOwn(result, key, current[key] as Json);
  if (Array.isArray(patch.$retainKeys)) result = retain(result, patch.$retainKeys);
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (key.startsWith(DELETE_PRIMITIVES)) deletePrimitives(result, key.slice(DELETE_PRIMITIVES.length), value);
    else if (key.startsWith('$')) continue;
    else if (value === null) delete result[key];
    else {
      const before = Object.hasOwn(result, key) ? (result[key] as Json) : undefined;
      const order = patch[ORDER + key];
      setOwn(
        result,
        key,
        mergeValue(fieldSchema(schema, key), before, value, Array.isArray(order) ? order : undefined),
      );
    }
  }
  return result;
}

function fieldSchema(schema: Schema, key: string): Schema {
  if (schema.type === 'object')
    return (Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined) ?? { type: 'any' };
  return schema.type === 'map' ? schema.values : { type: 'any' };
}

function mergeValue(schema: Schema, current: Json | undefined, patch: Json, order: Json[] | undefined): Json {
  const { strategies = [], mergeKey } = schema.patch ?? {};
  if (isJsonObject(patch)) {
    const before = isJsonObject(current) && !strategies.includes('replace') ? current : {};
    return mergeObject(schema, before, patch);
  }
  if (!Array.isArray(patch) || schema.type !== 'list' || !strategies.includes('merge')) return patch;
  const before = Array.isArray(current) ? current : [];
  if (mergeKey === undefined) return inOrder([...new Set([...before, ...patch])], order, (item) => item);
  return mergeByKey(schema, { key: mergeKey, current: before, patch, order });
}

interface KeyedMerge {
  key: string;
  current: Json[];
  patch: Json[];
  order: Json[] | undefined;
}

function mergeByKey(schema: Schema & { type: 'list' }, { key, current, patch, order }: KeyedMerge): Json[] {
  const replaceAll = patch.some(
    (item) => isJsonObject(item) && item.$patch === 'replace' && Object.keys(item).length === 1,
  );
  const result: Array<Json | undefined> = replaceAll ? [] : [...current];
  const places = new Map<Json | undefined, number>();
  for (const [i, item] of result.entries()) {
    if (isJsonObject(item) && !places.has(item[key])) places.set(item[key], i);
  }
  for (const item of patch) {
    if (!isJsonObject(item)) throw badRequest(`a list that is merged by ${key} takes objects only`);
    if (item.$patch === 'replace' && Object.keys(item).length === 1) continue;
    const id = item[key];
    if (id === undefined) throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = places.get(id);
    if (item.$patch === 'delete') {
      if (at !== undefined) result[at] = undefined;
      places.delete(id);
    } else if (at !== undefined) result[at] = mergeObject(schema.items, result[at] as JsonObject, item);
    else places.set(id, result.push(withoutDirectives(item)) - 1);
  }
  const kept = result.filter((item) => item !== undefined);
  return inOrder(kept, order, (item) => (isJsonObject(item) ? (item[key] ?? null) : item), key);
}

/** Items that the order names come in its order, the others keep their places among them. */
function inOrder(items: Json[], order: Json[] | undefined, idOf: (item: Json) => Json, key?: string): Json[] {
  if (order === undefined) return items;
  const rank = new Map(order.map((item, i) => [key !== undefined && isJsonObject(item) ? item[key] : item, i]));
  const named = items
    .filter((item) => rank.has(idOf(item)))
    .sort((a, b) => (rank.get(idOf(a)) as number) - (rank.get(idOf(b)) as number));
  let next = 0;
  return items.map((item) => (rank.has(idOf(item)) ? (named[next++] as Json) : item));
}

function deletePrimitives(object: JsonObject, key: string, values: Json): void {
  const list = Object.hasOwn(object, key) ? object[key] : undefined;
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  const unwanted = new Set(values);
  object[key] = list.filter((item) => !unwanted.has(item));
}

function retain(object: JsonObject, keys: readonly Json[]): JsonObject {
  const kept: JsonObject = {};
  const wanted = new Set(keys);
  for (const key of Object.keys(object)) if (wanted.has(key)) setOwn(kept, key, object[key] as Json);
  return kept;
}

function withoutDirectives(patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (key.startsWith('$') || value === null) continue;
    setOwn(result, key, isJsonObject(value) ? withoutDirectives(value) : value);
  }
  return result;
}
