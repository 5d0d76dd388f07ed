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
  if (patch.$patch !== undefined && patch.$patch !== 'merge') throw unknownDirective(patch);
  let result: JsonObject = {};
  for (const key of Object.keys(current)) setOwn(result, key, current[key] as Json);
  if (Array.isArray(patch.$retainKeys)) result = retain(result, patch.$retainKeys);
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (key.startsWith(DELETE_PRIMITIVES)) deletePrimitives(result, key.slice(DELETE_PRIMITIVES.length), value);
    else if (key.startsWith(ORDER)) orderAlone(schema, result, { patch, key: key.slice(ORDER.length) });
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

/** An order for a list of which nothing else is changed. */
function orderAlone(schema: Schema, result: JsonObject, { patch, key }: { patch: JsonObject; key: string }): void {
  const order = patch[ORDER + key];
  const list = Object.hasOwn(result, key) ? result[key] : undefined;
  if (Object.hasOwn(patch, key) || !Array.isArray(order) || !Array.isArray(list)) return;
  const { mergeKey } = fieldSchema(schema, key).patch ?? {};
  result[key] = inOrder(list, { order, before: list, mergeKey });
}

function unknownDirective(patch: JsonObject): Error {
  return badRequest(`unknown patch type: ${String(patch.$patch)} in map: ${JSON.stringify(patch)}`);
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
  if (mergeKey === undefined) {
    refuseOtherOrder(patch, order, mergeKey);
    return inOrder([...new Set([...before, ...patch])], { order: order ?? patch, before, mergeKey });
  }
  return mergeByKey(schema, { key: mergeKey, current: before, patch, order });
}

interface KeyedMerge {
  key: string;
  current: Json[];
  patch: Json[];
  order: Json[] | undefined;
}

function mergeByKey(schema: Schema & { type: 'list' }, { key, current, patch, order }: KeyedMerge): Json[] {
  const isReplaceAll = (item: Json) =>
    isJsonObject(item) && item.$patch === 'replace' && Object.keys(item).length === 1;
  const result: Array<Json | undefined> = patch.some(isReplaceAll) ? [] : [...current];
  const merged: Json[] = [];
  const places = new Map<Json | undefined, number>();
  for (const [i, item] of result.entries()) {
    if (isJsonObject(item) && !places.has(item[key])) places.set(item[key], i);
  }
  for (const item of patch) {
    if (!isJsonObject(item)) throw badRequest(`a list that is merged by ${key} takes objects only`);
    if (isReplaceAll(item)) continue;
    const id = item[key];
    if (id === undefined) throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = places.get(id);
    if (item.$patch === 'delete') {
      if (at !== undefined) result[at] = undefined;
      places.delete(id);
      continue;
    }
    merged.push(item);
    if (at !== undefined) result[at] = mergeObject(schema.items, result[at] as JsonObject, item);
    else places.set(id, result.push(mergeObject(schema.items, {}, item)) - 1);
  }
  refuseOtherOrder(merged, order, key);
  const kept = result.filter((item) => item !== undefined);
  return inOrder(kept, { order: order ?? merged, before: current, mergeKey: key });
}

/** What is changed has to stand in the order that is asked for, one after another. */
function refuseOtherOrder(
  patch: readonly Json[],
  order: readonly Json[] | undefined,
  mergeKey: string | undefined,
): void {
  if (order === undefined) return;
  const places = order.map((item) => idOf(item, mergeKey));
  let last = -1;
  for (const item of patch) {
    const at = places.indexOf(idOf(item, mergeKey), last + 1);
    if (at < 0) {
      throw badRequest(
        `The order in patch list:\n${JSON.stringify(patch)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`,
      );
    }
    last = at;
  }
}

interface Ordering {
  readonly order: readonly Json[];
  /** as it was before */
  readonly before: readonly Json[];
  readonly mergeKey: string | undefined;
}

/**
 * Items that the order names come in its order, the others as they were. Where both are next, the one that stood first
 * before comes first; a new one comes before all that the order does not name.
 */
function inOrder(items: readonly Json[], { order, before, mergeKey }: Ordering): Json[] {
  const rank = new Map(order.map((item, i) => [idOf(item, mergeKey), i]));
  const place = new Map(before.map((item, i) => [idOf(item, mergeKey), i]));
  const rankOf = (item: Json) => rank.get(idOf(item, mergeKey));
  const placeOf = (item: Json) => place.get(idOf(item, mergeKey));
  const named = items.filter((item) => rankOf(item) !== undefined);
  named.sort((a, b) => (rankOf(a) as number) - (rankOf(b) as number));
  const others = items.filter((item) => rankOf(item) === undefined);
  others.sort((a, b) => (placeOf(a) ?? 0) - (placeOf(b) ?? 0));
  const result: Json[] = [];
  let [n, o] = [0, 0];
  while (n < named.length && o < others.length) {
    const [left, right] = [placeOf(others[o] as Json), placeOf(named[n] as Json)];
    const otherFirst = left !== undefined && right !== undefined && left < right;
    result.push((otherFirst ? others[o++] : named[n++]) as Json);
  }
  return [...result, ...named.slice(n), ...others.slice(o)];
}

function idOf(item: Json, mergeKey: string | undefined): Json | undefined {
  return mergeKey !== undefined && isJsonObject(item) ? item[mergeKey] : item;
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
