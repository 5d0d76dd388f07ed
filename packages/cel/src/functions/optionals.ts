import { ArrayList, ValueMap } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import { Duration } from '../values/time.ts';
import { ListValue, MapValue, Optional, Uint, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  return value instanceof Optional && value.value === undefined;
}

function held([optional]: [Optional]): Value {
  if (optional.value === undefined) throw new Failure('optional.none() dereference');
  return optional.value;
}

function present([list]: [ListValue]): ArrayList {
  const found: Value[] = [];
  for (const item of list) if (item instanceof Optional && item.value !== undefined) found.push(item.value);
  return new ArrayList(found);
}

const endOf = (list: ListValue, index: number) => (list.size === 0 ? Optional.none : new Optional(list.at(index)));

/** Adds to a map of a macro in place, because nothing else can see the map before it is complete. */
function insert([map, key, value]: [MapValue, Value, Value?]): MapValue {
  const grown = map instanceof ValueMap ? map : ValueMap.of([]);
  const added: Array<[Value, Value]> =
    key instanceof MapValue ? key.keys().map((name) => [name, key.get(name) as Value]) : [[key, value as Value]];
  for (const [name, item] of added) {
    if (grown.get(name) !== undefined) throw new Failure(`insert failed: key ${String(name)} already exists`);
    if (!grown.set(name, item)) throw new Failure('unsupported key type');
  }
  return grown;
}

export const optionals: readonly Overload[] = [
  overload('optional_of', 'optional.of(V): optional(V)', ([value]: [Value]) => new Optional(value)),
  overload('optional_ofNonZeroValue', 'optional.ofNonZeroValue(V): optional(V)', ([value]: [Value]) =>
    isZero(value) ? Optional.none : new Optional(value),
  ),
  overload('optional_none', 'optional.none(): optional(V)', () => Optional.none),
  overload('optional_value', 'optional(V)::value(): V', held),
  overload('optional_hasValue', 'optional(V)::hasValue(): bool', ([{ value }]: [Optional]) => value !== undefined),
  overload('optional_or_optional', 'optional(V)::or(optional(V)): optional(V)', ([a, b]: [Optional, Optional]) =>
    a.value === undefined ? b : a,
  ),
  overload('optional_orValue_value', 'optional(V)::orValue(V): V', ([a, b]: [Optional, Value]) =>
    a.value === undefined ? b : a.value,
  ),
  overload('list_first', 'list(V)::first(): optional(V)', ([list]: [ListValue]) => endOf(list, 0)),
  overload('list_last', 'list(V)::last(): optional(V)', ([list]: [ListValue]) => endOf(list, list.size - 1)),
  overload('optional_unwrap', 'optional.unwrap(list(optional(V))): list(V)', present),
  overload('optional_unwrapOpt', 'list(optional(V))::unwrapOpt(): list(V)', present),
  overload(
    '@mapInsert_map_key_value',
    'cel.@mapInsert(map(K, V), K, V): map(K, V)',
    insert as (args: [MapValue, Value, Value]) => MapValue,
  ),
  overload(
    '@mapInsert_map_map',
    'cel.@mapInsert(map(K, V), map(K, V)): map(K, V)',
    insert as (args: [MapValue, Value]) => MapValue,
  ),
];
