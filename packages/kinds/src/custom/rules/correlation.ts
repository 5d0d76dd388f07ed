import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json } from '@tidegate/schema';
import type { JsonSchema } from '../values/json-schema.ts';
import { olderItems } from '../values/list-items.ts';

/** A value with its old value. */
interface Pair {
  readonly value: Json;
  readonly old: Json;
  readonly schema: JsonSchema;
}

/**
 * Reports whether a value has changed. For a value without a known old value, the nearest value around it with a known
 * old value decides.
 *
 * Worked example: an item of a list of type map is compared with the old item of the same key. The items of an atomic
 * list have no known old items, so an item is unchanged only if the whole list is.
 */
export class Correlation {
  /** for a creation */
  static readonly none = new Correlation(undefined, undefined);
  readonly #own: Pair | undefined;
  readonly #around: Pair | undefined;

  private constructor(own: Pair | undefined, around: Pair | undefined) {
    this.#own = own;
    this.#around = around;
  }

  static of(value: Json, old: Json, schema: JsonSchema): Correlation {
    return new Correlation({ value, old, schema }, undefined);
  }

  isUnchanged(): boolean {
    const pair = this.#own ?? this.#around;
    return pair !== undefined && isSame(pair);
  }

  /** The value of a field, or of a key of a map. */
  key(name: string): Correlation {
    const own = this.#own;
    if (own === undefined) return this;
    // apiVersion and kind depend on the version of the request, so they do not count as changes
    if (this.#around === undefined && (name === 'apiVersion' || name === 'kind')) return Correlation.none;
    return new Correlation(fieldOf(own, name), own);
  }

  item(index: number): Correlation {
    const own = this.#own;
    if (own === undefined) return this;
    return new Correlation(itemsOf(own)?.[index], own);
  }
}

function isSame(pair: Pair): boolean {
  const { value, old } = pair;
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || old.length !== value.length) return false;
    const items = itemsOf(pair);
    if (items === undefined) return isDeepStrictEqual(value, old);
    return items.every((item) => item !== undefined && isSame(item));
  }
  if (!isJsonObject(value)) return isDeepStrictEqual(value, old);
  const names = Object.keys(value);
  if (!isJsonObject(old) || Object.keys(old).length !== names.length) return false;
  return names.every((name) => {
    const field = fieldOf(pair, name);
    return field !== undefined && isSame(field);
  });
}

function fieldOf({ value, old, schema }: Pair, name: string): Pair | undefined {
  if (!isJsonObject(value) || !isJsonObject(old)) return undefined;
  const { properties = {}, additionalProperties } = schema;
  const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  if (typeof known !== 'object' || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
  return { value: value[name] as Json, old: old[name] as Json, schema: known };
}

/** The old items of a list by key; undefined for a list without keys. */
function itemsOf({ value, old, schema }: Pair): Array<Pair | undefined> | undefined {
  const { items } = schema;
  const older = olderItems(schema, old);
  if (!Array.isArray(value) || older === undefined || items === undefined) return undefined;
  return value.map((item) => {
    const before = older(item);
    return before === undefined ? undefined : { value: item, old: before, schema: items };
  });
}
