import { noSuchKey } from './failure.ts';
import { ListValue, MapValue, Uint, type Value } from './value.ts';

export class ArrayList extends ListValue {
  readonly items: Value[];

  constructor(items: Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** The concatenation of two lists without a copy, so that an expression cannot allocate lists of any length. */
export class JoinedList extends ListValue {
  readonly size: number;
  readonly #first: ListValue;
  readonly #second: ListValue;

  constructor(first: ListValue, second: ListValue) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): Value {
    const { size } = this.#first;
    return index < size ? this.#first.at(index) : this.#second.at(index - size);
  }
}

export class ValueMap extends MapValue {
  readonly #entries = new Map<string, readonly [key: Value, value: Value]>();

  static of(entries: Iterable<readonly [Value, Value]>): ValueMap {
    const map = new ValueMap();
    for (const [key, value] of entries) map.set(key, value);
    return map;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns false if the type of the key is not supported. */
  set(key: Value, value: Value): boolean {
    const text = keyText(key);
    if (text === undefined) return false;
    this.#entries.set(text, [key, value]);
    return true;
  }

  get(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }

  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

/** Equal numbers of different types are the same key. */
function keyText(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      return `"${key}`;
    case 'boolean':
      return String(key);
    case 'bigint':
      return `#${key}`;
    case 'number':
      return Number.isInteger(key) ? `#${BigInt(key)}` : undefined;
    default:
      return key instanceof Uint ? `#${key.value}` : undefined;
  }
}

export function valueOfKey(map: MapValue, key: Value): Value {
  const value = map.get(key);
  if (value === undefined) throw noSuchKey(key instanceof Uint ? String(key.value) : String(key));
  return value;
}
