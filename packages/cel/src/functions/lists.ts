import { ArrayList } from '../values/collections.ts';
import { compare, isEqual } from '../values/equal.ts';
import { Failure, noSuchOverload } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { Duration } from '../values/time.ts';
import { typeNameOf } from '../values/type-name.ts';
import { ListValue, Uint, type Value } from '../values/value.ts';
import { arithmetic } from './arithmetic.ts';
import { type Overload, overload } from './overload.ts';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const ZEROS: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };
const ADDITIONS: Readonly<Record<string, string>> = {
  int: 'add_int64',
  uint: 'add_uint64',
  double: 'add_double',
  duration: 'add_duration_duration',
};

function isSorted([list]: [ListValue]): boolean {
  for (let i = 1; i < list.size; i++) if ((compare(list.at(i - 1), list.at(i)) ?? 1) > 0) return false;
  return true;
}

function extreme(word: string, sign: number) {
  return ([list]: [ListValue]): Value => {
    let found: Value | undefined;
    for (const item of list) if (found === undefined || (compare(item, found) ?? 0) * sign > 0) found = item;
    if (found === undefined) throw new Failure(`${word} called on empty list`);
    return found;
  };
}

function summing(type: string): Overload {
  const add = arithmetic.find(({ id }) => id === ADDITIONS[type]) as Overload;
  return overload(`list_${type}_sum_${type}`, `list(${type})::sum(): ${type}`, ([list]: [ListValue], meter) => {
    let sum = ZEROS[type] as Value;
    const wanted = typeNameOf(sum);
    for (const item of list) {
      // items may be null, or of several types
      if (typeNameOf(item) !== wanted) throw noSuchOverload();
      sum = add.run([sum, item], meter);
    }
    return sum;
  });
}

function indexOf([list, wanted]: [ListValue, Value], meter: Meter): bigint {
  for (let i = 0; i < list.size; i++) if (isEqual(list.at(i), wanted, meter)) return BigInt(i);
  return -1n;
}

function lastIndexOf([list, wanted]: [ListValue, Value], meter: Meter): bigint {
  for (let i = list.size - 1; i >= 0; i--) if (isEqual(list.at(i), wanted, meter)) return BigInt(i);
  return -1n;
}

function slice([list, from, to]: [ListValue, bigint, bigint]): ArrayList {
  if (from < 0n || to < 0n) throw new Failure(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) throw new Failure(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > list.size) throw new Failure(`cannot slice(${from}, ${to}), list is length ${list.size}`);
  return new ArrayList([...list].slice(Number(from), Number(to)));
}

function flatten([list, depth = 1n]: [ListValue, bigint?], meter: Meter): ArrayList {
  if (depth < 0n) throw new Failure('level must be non-negative');
  const flat: Value[] = [];
  const add = (items: ListValue, left: bigint): void => {
    for (const item of items) {
      meter.step();
      if (item instanceof ListValue && left > 0n) add(item, left - 1n);
      else flat.push(item);
    }
  };
  add(list, depth);
  return new ArrayList(flat);
}

const MAX_RANGE = 1_000_000n;

function range([count]: [bigint]): ArrayList {
  if (count > MAX_RANGE) throw new Failure(`range(${count}) is too large`);
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i)));
}

function distinct([list]: [ListValue], meter: Meter): ArrayList {
  const found: Value[] = [];
  for (const item of list) if (!found.some((known) => isEqual(known, item, meter))) found.push(item);
  return new ArrayList(found);
}

function sortedBy([list, keys]: [ListValue, ListValue]): ArrayList {
  const pairs = [...list].map((item, i) => ({ item, key: keys.at(i) }));
  pairs.sort((a, b) => {
    const order = compare(a.key, b.key);
    if (order === undefined || typeof a.key !== typeof b.key)
      throw new Failure('list elements must have the same type');
    return order;
  });
  return new ArrayList(pairs.map(({ item }) => item));
}

const ofComparable = COMPARABLE.flatMap((type) => [
  overload(`list_${type}_is_sorted_bool`, `list(${type})::isSorted(): bool`, isSorted),
  overload(`list_${type}_max_${type}`, `list(${type})::max(): ${type}`, extreme('max', 1)),
  overload(`list_${type}_min_${type}`, `list(${type})::min(): ${type}`, extreme('min', -1)),
  overload(`list_${type}_sort`, `list(${type})::sort(): list(${type})`, ([list]: [ListValue]) =>
    sortedBy([list, list]),
  ),
  overload(`list_${type}_sortByAssociatedKeys`, `list(T)::@sortByAssociatedKeys(list(${type})): list(T)`, sortedBy),
]);

export const lists: readonly Overload[] = [
  ...ofComparable,
  ...Object.keys(ZEROS).map(summing),
  overload('list_a_index_of_int', 'list(A)::indexOf(A): int', indexOf),
  overload('list_a_last_index_of_int', 'list(A)::lastIndexOf(A): int', lastIndexOf),
  overload('list_slice', 'list(T)::slice(int, int): list(T)', slice),
  overload(
    'list_flatten',
    'list(list(T))::flatten(): list(T)',
    flatten as (args: [ListValue], meter: Meter) => ArrayList,
  ),
  overload(
    'list_flatten_int',
    'list(dyn)::flatten(int): list(dyn)',
    flatten as (args: [ListValue, bigint], meter: Meter) => ArrayList,
  ),
  overload('lists_range', 'lists.range(int): list(int)', range),
  overload('list_reverse', 'list(T)::reverse(): list(T)', ([list]: [ListValue]) => new ArrayList([...list].reverse())),
  overload('list_distinct', 'list(T)::distinct(): list(T)', distinct),
];

function contains([list, wanted]: [ListValue, ListValue], meter: Meter): boolean {
  return [...wanted].every((item) => indexOf([list, item], meter) >= 0n);
}

export const sets: readonly Overload[] = [
  overload('list_sets_contains_list', 'sets.contains(list(T), list(T)): bool', contains),
  overload(
    'list_sets_equivalent_list',
    'sets.equivalent(list(T), list(T)): bool',
    ([a, b]: [ListValue, ListValue], meter) => contains([a, b], meter) && contains([b, a], meter),
  ),
  overload(
    'list_sets_intersects_list',
    'sets.intersects(list(T), list(T)): bool',
    ([a, b]: [ListValue, ListValue], meter) => [...b].some((item) => indexOf([a, item], meter) >= 0n),
  ),
];
