import { ArrayList } from './collections.ts';
import type { Meter } from './meter.ts';
import { Duration, Timestamp } from './time.ts';
import { ListValue, MapValue, Uint, type Value } from './value.ts';

/**
 * A list of unique items: by their value, as in a set, or by some of their fields. Equality ignores the order, and a
 * sum has each item once, with the later one of two items with the same key:
 * `[{k: a, v: 1}, {k: b}] + [{k: a, v: 2}]` is `[{k: a, v: 2}, {k: b}]`.
 */
export class KeyedList extends ListValue {
  readonly #list: ListValue;
  readonly #keys: readonly string[] | undefined;

  /** @param keys undefined: the whole item is its key */
  constructor(list: ListValue, keys: readonly string[] | undefined) {
    super();
    this.#list = list;
    this.#keys = keys;
  }

  get size(): number {
    return this.#list.size;
  }

  at(index: number): Value {
    return this.#list.at(index);
  }

  keyOf(item: Value, meter: Meter): string {
    const keys = this.#keys;
    if (keys === undefined || !(item instanceof MapValue)) return identityOf(item, meter);
    return keys.map((key) => identityOf(item.get(key) ?? null, meter)).join();
  }

  byKey(meter: Meter): Map<string, Value> {
    const found = new Map<string, Value>();
    for (const item of this) found.set(this.keyOf(item, meter), item);
    return found;
  }

  with(other: ListValue, meter: Meter): KeyedList {
    const sum = this.byKey(meter);
    for (const item of other) {
      const key = this.keyOf(item, meter);
      if (this.#keys !== undefined || !sum.has(key)) sum.set(key, item);
    }
    return new KeyedList(new ArrayList([...sum.values()]), this.#keys);
  }
}

/** Printing a value takes this many times as long as reading it. */
const PRINTING = 8;

/** A text that is equal exactly for equal values. */
function identityOf(value: Value, meter: Meter): string {
  meter.step(PRINTING);
  if (typeof value === 'string') meter.read(value.length);
  if (value === null || typeof value !== 'object') return `${typeof value}:${JSON.stringify(String(value))}`;
  if (value instanceof Uint) return `uint:${value.value}`;
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`;
  if (value instanceof Duration || value instanceof Timestamp) return `time:${value.nanos}`;
  if (value instanceof ListValue) return `[${[...value].map((item) => identityOf(item, meter)).join()}]`;
  if (!(value instanceof MapValue)) return '';
  const entries = value.keys().map((key) => `${identityOf(key, meter)}=${identityOf(value.get(key) ?? null, meter)}`);
  return `{${entries.sort().join()}}`;
}
