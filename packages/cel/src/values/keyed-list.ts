import { ArrayList } from './collections.ts';
import type { Meter } from './meter.ts';
import { Duration, Timestamp } from './time.ts';
import { ListValue, MapValue, Uint, type Value } from './value.ts';

/**
 * A list whose items differ from each other: by what they are, as in a set, or by some of their fields. Two are equal
 * whatever their order is, and a sum has every item once, the later one where two have the same key:
 * `[{k: a, v: 1}, {k: b}] + [{k: a, v: 2}]` is `[{k: a, v: 2}, {k: b}]`.
 */
export class KeyedList extends ListValue {
  readonly #list: ListValue;
  readonly #keys: readonly string[] | undefined;

  /** Without keys an item is its own. */
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

/** The same text for the same value, and for no other. */
function identityOf(value: Value, meter: Meter): string {
  meter.step();
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
