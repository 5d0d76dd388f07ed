import { badRequest } from '@tidegate/status';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { itemPatchType } from './directives.ts';
import { inOrder, rejectOtherOrder } from './order.ts';

/** Merges a list of scalars: new values are added. */
export function mergePrimitives(before: Json[], patch: Json[], order: readonly Json[] | undefined): Json[] {
  rejectOtherOrder(patch, order, undefined);
  return inOrder([...new Set([...before, ...patch])], { order: order ?? patch, before, mergeKey: undefined });
}

interface KeyedMerge {
  readonly key: string;
  readonly current: Json[];
  readonly patch: Json[];
  readonly order: readonly Json[] | undefined;
  readonly merge: (item: JsonObject, change: JsonObject) => JsonObject;
}

/** Merges a list of objects by their merge key. */
export function mergeByKey({ key, current, patch, order, merge }: KeyedMerge): Json[] {
  const changes = patch.map((item) => {
    if (!isJsonObject(item)) throw badRequest(`a list that is merged by ${key} must contain only objects`);
    return { item, type: itemPatchType(item) };
  });
  // one item with `$patch: replace` makes the other items replace the whole list
  const result: Array<Json | undefined> = changes.some(({ type }) => type === 'replace') ? [] : [...current];
  const places = new Map<Json | undefined, number>();
  for (const [i, item] of result.entries()) {
    if (isJsonObject(item) && !places.has(item[key])) places.set(item[key], i);
  }
  const merged: Json[] = [];
  const times = new Map<Json, number>();
  for (const { item, type } of changes) {
    if (type === 'replace') continue;
    const id = item[key];
    if (id === undefined) throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const time = (times.get(id) ?? 0) + 1;
    if (time > MAX_TIMES) throw namedTooOften(key, id);
    times.set(id, time);
    const at = places.get(id);
    if (type === 'delete') {
      if (at !== undefined) result[at] = undefined;
      places.delete(id);
      continue;
    }
    merged.push(item);
    if (at !== undefined) result[at] = merge(result[at] as JsonObject, item);
    else places.set(id, result.push(merge({}, item)) - 1);
  }
  rejectOtherOrder(merged, order, key);
  const kept = result.filter((item) => item !== undefined);
  return inOrder(kept, { order: order ?? merged, before: current, mergeKey: key });
}

/** Each occurrence copies the merged item again. Clients name an item once, or once per protocol. */
const MAX_TIMES = 16;

function namedTooOften(key: string, id: Json): Error {
  const shown = JSON.stringify(id).slice(0, MAX_SHOWN_LENGTH);
  return badRequest(`a patch may name an item of a list at most ${MAX_TIMES} times: ${key} ${shown}`);
}
const MAX_SHOWN_LENGTH = 256;

/** Rejects values of another type than those of the list. */
export function rejectOtherTypes(list: readonly Json[], values: readonly Json[]): void {
  const [first] = list;
  if (first !== undefined && values.some((value) => typeof value !== typeof first)) {
    throw badRequest(`list element types are not identical: ${JSON.stringify([list, values])}`);
  }
}
