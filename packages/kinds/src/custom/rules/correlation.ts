import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json } from '@tidegate/schema';
import type { JsonSchema } from '../values/json-schema.ts';
import { olderItems } from '../values/value-rules.ts';

/** A value, and the one that it was before. */
interface Pair {
  readonly value: Json;
  readonly old: Json;
  readonly schema: JsonSchema;
}

/**
 * Knows of a value whether it is as it was before. Where it is not known which value it was, it is the whole around it that
 * must not have changed.
 *
 * Worked example: an item of a list of type map is compared with the old item of the same key; of an atomic list no item is
 * known again, so that an item is as it was only if the whole list is.
 */
export class Correlation {
  /** of a write that makes something new */
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

  /** A field, or a value of a map. */
  key(name: string): Correlation {
    const own = this.#own;
    if (own === undefined) return this;
    // an object is shown in the version that is asked for, so that these say nothing of a change
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

/** The items of a list whose items are known by their keys. undefined: they are not. */
function itemsOf({ value, old, schema }: Pair): Array<Pair | undefined> | undefined {
  const { items } = schema;
  const older = olderItems(schema, old);
  if (!Array.isArray(value) || older === undefined || items === undefined) return undefined;
  return value.map((item) => {
    const before = older(item);
    return before === undefined ? undefined : { value: item, old: before, schema: items };
  });
}
