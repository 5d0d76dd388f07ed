import { valueOfKey } from '../values/collections.ts';
import { compare, isEqual } from '../values/equal.ts';
import { Failure } from '../values/failure.ts';
import { typeNameOf } from '../values/type-name.ts';
import { type ListValue, type MapValue, Optional, TypeValue, Uint, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const SAME = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const NUMBERS = ['int', 'uint', 'double'];
const PAIRS: ReadonlyArray<readonly [string, string]> = [
  ...SAME.map((type) => [type, type] as const),
  ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => [a, b] as const)),
];

const WORDS: ReadonlyArray<readonly [operator: string, word: string, holds: (order: number) => boolean]> = [
  ['_<_', 'less', (order) => order < 0],
  ['_<=_', 'less_equals', (order) => order <= 0],
  ['_>_', 'greater', (order) => order > 0],
  ['_>=_', 'greater_equals', (order) => order >= 0],
];

const orders = WORDS.flatMap(([operator, word, holds]) =>
  PAIRS.map(([a, b]) =>
    overload(idOf(word, a, b), `${operator}(${a}, ${b}): bool`, ([left, right]) => {
      const order = compare(left as Value, right as Value);
      return order !== undefined && holds(order);
    }),
  ),
);

function idOf(word: string, a: string, b: string): string {
  const full = (type: string) => (type === 'int' || type === 'uint' ? `${type}64` : type);
  return a === b ? `${word}_${full(a)}` : `${word}_${full(a)}_${full(b)}`;
}

const among = ([item, list]: [Value, ListValue], meter: Parameters<Overload['run']>[1]): boolean => {
  for (let i = 0; i < list.size; i++) if (isEqual(item, list.at(i), meter)) return true;
  return false;
};

/** The position in a list for an index; undefined if it is out of range. */
function placeIn(list: ListValue, index: Value): number | undefined {
  const place = index instanceof Uint ? Number(index.value) : Number(index);
  return Number.isInteger(place) && place >= 0 && place < list.size ? place : undefined;
}

function itemAt([list, index]: [ListValue, Value]): Value {
  const place = placeIn(list, index);
  if (place === undefined)
    throw new Failure(`index out of bounds: ${index instanceof Uint ? index.value : String(index)}`);
  return list.at(place);
}

const optionally = (value: Value | undefined) => (value === undefined ? Optional.none : new Optional(value));

function itemIfThere([list, index]: [ListValue, Value]): Optional {
  const place = placeIn(list, index);
  return place === undefined ? Optional.none : new Optional(list.at(place));
}

const entryIfThere = ([map, key]: [MapValue, Value]) => optionally(map.get(key));

/** Looks into an optional list or map; the result is none if the optional is empty. */
function within<T>(look: (args: [T, Value]) => Optional) {
  return ([held, index]: [Optional, Value]): Optional =>
    held.value === undefined ? held : look([held.value as T, index]);
}

const indexes: Overload[] = [
  overload('index_list', '_[_](list(A), int): A', itemAt),
  overload('index_map', '_[_](map(A, B), A): B', ([map, key]: [MapValue, Value]) => valueOfKey(map, key)),
  overload('optional_list_index_int', '_[_](optional(list(V)), int): optional(V)', within(itemIfThere)),
  overload('optional_map_index_value', '_[_](optional(map(K, V)), K): optional(V)', within(entryIfThere)),
  overload('list_optindex_optional_int', '_[?_](list(V), int): optional(V)', itemIfThere),
  overload('optional_list_optindex_optional_int', '_[?_](optional(list(V)), int): optional(V)', within(itemIfThere)),
  overload('map_optindex_optional_value', '_[?_](map(K, V), K): optional(V)', entryIfThere),
  overload('optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K): optional(V)', within(entryIfThere)),
];

export const comparison: readonly Overload[] = [
  overload('equals', '_==_(A, A): bool', ([a, b]: [Value, Value], meter) => isEqual(a, b, meter)),
  overload('not_equals', '_!=_(A, A): bool', ([a, b]: [Value, Value], meter) => !isEqual(a, b, meter)),
  ...orders,
  overload('in_list', '@in(A, list(A)): bool', among),
  overload('in_map', '@in(A, map(A, B)): bool', ([key, map]: [Value, MapValue]) => map.get(key) !== undefined),
  ...indexes,
  overload('type', 'type(A): type(A)', ([value]: [Value]) => new TypeValue(typeNameOf(value))),
];
