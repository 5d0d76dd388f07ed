import { badRequest } from '@tidegate/status';
import { isJsonObject, type Json } from '../json/json.ts';
import type { Schema } from '../schema.ts';
import { ORDER } from './directives.ts';

/** The order that a patch asks for: of a list that can be merged, and of items that can be told apart. */
export function checkedOrder(schema: Schema, key: string, order: Json): readonly Json[] {
  const directive = ORDER + key;
  if (!Array.isArray(order)) throw badRequest(`${directive} must be a list`);
  if (schema.type !== 'list') throw badRequest(`${directive} names a field that is no list`);
  const { mergeKey } = schema.patch ?? {};
  if (mergeKey === undefined) return order;
  for (const item of order) {
    if (!isJsonObject(item)) throw badRequest(`${directive} takes objects only`);
    if (item[mergeKey] === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return order;
}

/** What is changed has to stand in the order that is asked for, one after another. */
export function refuseOtherOrder(
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
