import { isJsonObject, type Json, type JsonObject, setOwn } from '@tidegate/schema';
import { duplicateValue, type FieldError, invalidValue } from '@tidegate/status';
import { type At, pathText } from './at.ts';
import type { JsonSchema } from './json-schema.ts';

type Visit = (value: Json, at: At | undefined, errors: FieldError[]) => void;

/** Finds duplicates in lists of type set or map. undefined: the schema has no such list. */
export function listItemRules(schema: JsonSchema): ((object: JsonObject) => FieldError[]) | undefined {
  const visit = visitOf(schema);
  if (visit === undefined) return undefined;
  return (object) => {
    const errors: FieldError[] = [];
    visit(object, undefined, errors);
    return errors;
  };
}

function visitOf(schema: JsonSchema): Visit | undefined {
  return ofFields(schema) ?? ofValues(schema) ?? ofList(schema);
}

function ofFields({ properties = {} }: JsonSchema): Visit | undefined {
  const found = Object.entries(properties).flatMap(([name, property]): Array<[string, Visit]> => {
    const visit = visitOf(property);
    return visit === undefined ? [] : [[name, visit]];
  });
  if (found.length === 0) return undefined;
  return (value, at, errors) => {
    if (!isJsonObject(value)) return;
    for (const [name, visit] of found) {
      const inner = Object.hasOwn(value, name) ? value[name] : undefined;
      if (inner !== undefined) visit(inner, { up: at, step: name }, errors);
    }
  };
}

function ofValues({ additionalProperties }: JsonSchema): Visit | undefined {
  const visit = typeof additionalProperties === 'object' ? visitOf(additionalProperties) : undefined;
  if (visit === undefined) return undefined;
  return (value, at, errors) => {
    if (!isJsonObject(value)) return;
    const above = pathText(at);
    for (const [key, inner] of Object.entries(value)) visit(inner, { up: undefined, step: `${above}[${key}]` }, errors);
  };
}

function ofList(schema: JsonSchema): Visit | undefined {
  const inner = schema.items === undefined ? undefined : visitOf(schema.items);
  const type = schema['x-kubernetes-list-type'];
  const isUnique = type === 'set' || type === 'map';
  if (inner === undefined && !isUnique) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (value, at, errors) => {
    if (!Array.isArray(value)) return;
    if (type === 'set') addDuplicates(value, at, errors, (item) => item);
    if (type === 'map') addDuplicates(value, at, errors, (item) => keysOf(item, keys));
    for (const [i, item] of value.entries()) inner?.(item, { up: at, step: i }, errors);
  };
}

/** Reports each duplicate once. */
function addDuplicates(
  list: readonly Json[],
  at: At | undefined,
  errors: FieldError[],
  of: (item: Json) => Json | undefined,
) {
  const seen = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    const known = of(item);
    const path = pathText({ up: at, step: i });
    if (known === undefined) {
      errors.push(invalidValue(path, item, 'must be an object for an array of list-type map'));
      return;
    }
    const text = JSON.stringify(known);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) errors.push(duplicateValue(path, known));
  }
}

function keysOf(item: Json, keys: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(item)) return undefined;
  const found: JsonObject = {};
  for (const key of keys) if (Object.hasOwn(item, key)) setOwn(found, key, item[key] as Json);
  return found;
}

/** Finds the old item of a list with keys. */
export function olderItems(schema: JsonSchema, old: Json | undefined): ((item: Json) => Json | undefined) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (!Array.isArray(old) || keys === undefined || schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keyOf = (item: Json) => JSON.stringify(keys.map((key) => (isJsonObject(item) ? (item[key] ?? null) : null)));
  const known = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => known.get(keyOf(item));
}
