import { isJsonObject, type Json, type JsonObject, type Schema, setOwn } from '@tidegate/schema';
import type { PathElement } from './path-element.ts';
import { elementOf, fieldOf, shapeOf } from './shape.ts';

/**
 * Merges the applied configuration into the live state. Nothing is removed, and the applied value wins. List items are
 * in the applied order; items that only the live state has keep their position among their neighbours.
 */
export function merge(schema: Schema, live: JsonObject, applied: JsonObject): JsonObject {
  return (mergeValue(schema, live, applied) ?? {}) as JsonObject;
}

type Maybe = Json | undefined;

function mergeValue(schema: Schema, live: Maybe, applied: Maybe): Maybe {
  if (applied === undefined) return live;
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isJsonObject(applied) && Object.keys(applied).length > 0) {
    const before = live !== undefined && isJsonObject(live) ? live : {};
    const merged: JsonObject = {};
    for (const name of Object.keys(before)) {
      const next = Object.hasOwn(applied, name) ? applied[name] : undefined;
      setOwn(merged, name, mergeValue(fieldOf(shape.schema, name).schema, before[name], next) as Json);
    }
    for (const name of Object.keys(applied)) {
      if (Object.hasOwn(before, name)) continue;
      setOwn(merged, name, mergeValue(fieldOf(shape.schema, name).schema, undefined, applied[name]) as Json);
    }
    return merged;
  }
  if (shape.kind === 'items' && Array.isArray(applied) && applied.length > 0) {
    return mergeItems(shape.schema, Array.isArray(live) ? live : [], applied);
  }
  // an empty applied value does not empty the live one
  return shape.kind !== 'whole' && isHollow(applied) && !isHollow(live ?? null) ? live : applied;
}

function isHollow(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * Walks along both lists. Both walks wait for the next shared item in the applied order: live items that are applied at
 * another position are skipped, and are added at their applied position.
 */
function mergeItems(schema: Schema & { type: 'list' }, live: readonly Json[], applied: readonly Json[]): Json[] {
  const liveElements = live.map((item) => elementOf(schema, item));
  const appliedElements = applied.map((item) => elementOf(schema, item));
  const liveItems = singles(live, liveElements);
  const isApplied = new Set(appliedElements);
  const shared = appliedElements.filter((element) => liveItems.has(element));
  const done = new Set<PathElement>();
  let nextShared = 0;
  const result: Json[] = [];
  const take = (i: number): void => {
    const element = appliedElements[i] as PathElement;
    done.add(element);
    result.push(mergeValue(schema.items, liveItems.get(element), applied[i]) as Json);
    if (element === shared[nextShared]) nextShared++;
  };
  let [l, a] = [0, 0];
  while (l < live.length || a < applied.length) {
    const element = liveElements[l];
    if (element !== undefined && a < applied.length) {
      if (element === appliedElements[a]) {
        take(a++);
        l++;
        continue;
      }
      if (isApplied.has(element) && nextShared < shared.length && shared[nextShared] !== element) {
        l++;
        continue;
      }
    }
    if (element !== undefined) {
      if (!isApplied.has(element)) {
        result.push(live[l++] as Json);
        continue;
      }
      if (done.has(element)) l++;
    }
    if (a < applied.length) take(a++);
  }
  return result;
}

/** Items by their element. Duplicate items are not merged, so they map to undefined. */
function singles(items: readonly Json[], elements: readonly PathElement[]): Map<PathElement, Maybe> {
  const found = new Map<PathElement, Maybe>();
  for (const [i, element] of elements.entries())
    found.set(element, found.has(element) ? undefined : (items[i] as Json));
  return found;
}
