import { badRequest } from '@tidegate/status';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../json/json.ts';
import type { Schema } from '../schema.ts';
import { DELETE_PRIMITIVES, isDirective, ORDER, patchType, rejectMalformed, retained } from './directives.ts';
import { mergeByKey, mergePrimitives, rejectOtherTypes } from './lists.ts';
import { checkedOrder, inOrder } from './order.ts';

/**
 * Kubernetes' strategic merge patch: like a merge patch, but some lists are merged by value or by key, as their schema
 * says, and the directives `$patch`, `$retainKeys`, `$setElementOrder/x` and `$deleteFromPrimitiveList/x` control it.
 */
export function strategicMerge(schema: Schema, current: Json, patch: JsonObject): JsonObject {
  return mergeObject(schema, isJsonObject(current) ? current : {}, patch);
}

export function mergeObject(schema: Schema, current: JsonObject, patch: JsonObject): JsonObject {
  const type = patchType(patch);
  if (type === 'replace') return withoutDirectives(patch);
  if (type === 'delete') return {};
  rejectMalformed(patch);
  const result = retained(current, patch);
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (key.startsWith(DELETE_PRIMITIVES)) deletePrimitives(result, key.slice(DELETE_PRIMITIVES.length), value);
    else if (key.startsWith(ORDER)) orderAlone(schema, result, { patch, key: key.slice(ORDER.length) });
    else if (isDirective(key)) continue;
    else if (value === null) delete result[key];
    else setOwn(result, key, mergeField(schema, result, { patch, key }));
  }
  return result;
}

interface FieldPatch {
  readonly patch: JsonObject;
  readonly key: string;
}

function mergeField(schema: Schema, result: JsonObject, { patch, key }: FieldPatch): Json {
  const before = Object.hasOwn(result, key) ? (result[key] as Json) : undefined;
  const field = fieldSchema(schema, key);
  const order = Object.hasOwn(patch, ORDER + key) ? checkedOrder(field, key, patch[ORDER + key] as Json) : undefined;
  return mergeValue(field, before, patch[key] as Json, order);
}

/** Reorders a list that the patch does not change otherwise. */
function orderAlone(schema: Schema, result: JsonObject, { patch, key }: FieldPatch): void {
  const field = fieldSchema(schema, key);
  const order = checkedOrder(field, key, patch[ORDER + key] as Json);
  if (Object.hasOwn(patch, key)) {
    if (!Array.isArray(patch[key])) throw badRequest(`${ORDER}${key} requires that ${key} is a list in the patch`);
    return;
  }
  const list = Object.hasOwn(result, key) ? result[key] : undefined;
  if (!Array.isArray(list)) return;
  result[key] = inOrder(list, { order, before: list, mergeKey: field.patch?.mergeKey });
}

function fieldSchema(schema: Schema, key: string): Schema {
  if (schema.type === 'object')
    return (Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined) ?? { type: 'any' };
  return schema.type === 'map' ? schema.values : { type: 'any' };
}

function mergeValue(schema: Schema, current: Json | undefined, patch: Json, order: readonly Json[] | undefined): Json {
  const { strategies = [], mergeKey } = schema.patch ?? {};
  if (isJsonObject(patch)) {
    const before = isJsonObject(current) && !strategies.includes('replace') ? current : {};
    return mergeObject(schema, before, patch);
  }
  if (!Array.isArray(patch)) return patch;
  if (schema.type !== 'list' || !strategies.includes('merge')) return itemsWithoutDirectives(patch);
  const before = Array.isArray(current) ? current : [];
  if (mergeKey === undefined) return mergePrimitives(before, patch, order);
  const merge = (item: JsonObject, change: JsonObject) => mergeObject(schema.items, item, change);
  return mergeByKey({ key: mergeKey, current: before, patch, order, merge });
}

function deletePrimitives(object: JsonObject, key: string, values: Json): void {
  if (values === null) delete object[key];
  const list = Object.hasOwn(object, key) ? object[key] : undefined;
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  rejectOtherTypes(list, values);
  const unwanted = new Set(values);
  object[key] = list.filter((item) => !unwanted.has(item));
}

function withoutDirectives(patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (isDirective(key) || value === null) continue;
    setOwn(result, key, isJsonObject(value) ? withoutDirectives(value) : value);
  }
  return result;
}

/** The items of a list that is replaced, without those that the patch deletes. */
function itemsWithoutDirectives(items: readonly Json[]): Json[] {
  return items
    .filter((item) => !(isJsonObject(item) && item.$patch === 'delete'))
    .map((item) => (isJsonObject(item) && Object.keys(item).some(isDirective) ? withoutDirectives(item) : item));
}
