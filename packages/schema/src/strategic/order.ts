import { badRequest } from '@tidegate/status';
import { isJsonObject, type Json } from '../json/json.ts';
import type { Schema } from '../schema.ts';
import { ORDER } from './directives.ts';

/** Validates the order in a patch: the field must be a list, and each item must have the merge key. */
export function checkedOrder(schema: Schema, key: string, order: Json): readonly Json[] {
  const directive = ORDER + key;
  if (!Array.isArray(order)) throw badRequest(`${directive} must be a list`);
  if (schema.type !== 'list') throw badRequest(`${directive} names a field that is not a list`);
  const { mergeKey } = schema.patch ?? {};
  if (mergeKey === undefined) return order;
  for (const item of order) {
    if (!isJsonObject(item)) throw badRequest(`${directive} must contain only objects`);
    if (item[mergeKey] === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return order;
}

/** The items of the patch must be in the order of the `$setElementOrder` list. */
export function rejectOtherOrder(
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
  /** the list before the patch */
  readonly before: readonly Json[];
  readonly mergeKey: string | undefined;
}

/**
 * Sorts the items that `order` names by it; the other items keep their order. When both lists are merged, the item that
 * was first before the patch comes first, and a new item comes before all items that `order` does not name.
 */
export function inOrder(items: readonly Json[], { order, before, mergeKey }: Ordering): Json[] {
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
