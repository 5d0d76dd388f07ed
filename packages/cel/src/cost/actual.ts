import { textSize } from '../functions/characters.ts';
import { sizeOfFormat } from '../functions/formats.ts';
import type { Overload } from '../functions/overload.ts';
import { ListValue, MapValue, OpaqueValue, Optional, type Value } from '../values/value.ts';

/** The cost of reading a text, by its characters. */
const TEXT = 0.1;
const PATTERN = 0.25;
const AUTHORIZATION = 350_000;

type Cost = number | ((args: readonly Value[]) => number);

/** The runtime cost of a call, as in kube-apiserver. It is charged before the call. */
export function actualCost({ id, name }: Overload): Cost {
  return BY_ID[id] ?? BY_NAME[name] ?? 1;
}

export function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return textSize(value);
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

function through(times: number, which = 0): Cost {
  return (args) => Math.ceil(sizeOf(args[which]) * times * TEXT);
}

const shorter: Cost = ([a, b]) => {
  if (a instanceof OpaqueValue) return 1;
  return Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * TEXT);
};
const both: Cost = ([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * TEXT);
const matched: Cost = ([text, pattern]) => Math.ceil((1 + sizeOf(text)) * TEXT) * Math.ceil(sizeOf(pattern) * PATTERN);
const contained: Cost = ([text, part]) => Math.ceil(sizeOf(text) * TEXT) * Math.ceil(sizeOf(part) * TEXT);
const crossed =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + sizeOf(a) * sizeOf(b) * factor;

/** The cost of reading a value with everything in it. */
function traversal(value: Value | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(value.length * TEXT);
  let cost = 0;
  if (value instanceof ListValue) for (const item of value) cost += traversal(item);
  else if (value instanceof MapValue)
    for (const key of value.keys()) cost += traversal(key) + traversal(value.get(key));
  else cost = 1;
  return cost;
}

function joined([list, separator]: readonly Value[]): number {
  let size = 0;
  if (list instanceof ListValue) for (const item of list) size += sizeOf(item) + sizeOf(separator ?? '');
  return Math.ceil(size * 2 * TEXT);
}

const selected: Cost = ([, text]) => {
  const size = sizeOf(text);
  return 10 + Math.ceil(size * TEXT) + Math.ceil(Math.ceil(size * 0.5) * 50);
};

/** The cost of testing an IP in a range is the size of the larger one. */
const within: Cost = ([, other]) => 4 + (typeof other === 'string' ? Math.ceil(sizeOf(other) * TEXT) : 0);

const CALL_AND_LIST = 11;

/** A call that compares every item of a list with every other one. */
function compared(list: Value | undefined): number {
  const first = list instanceof ListValue && list.size > 0 ? list.at(0) : undefined;
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return Math.floor(sizeOf(list) ** 2 * (isText ? 2 + TEXT : 2)) + CALL_AND_LIST;
}

const BY_ID: Readonly<Record<string, Cost>> = {
  in_list: ([, list]) => sizeOf(list),
  equals: shorter,
  not_equals: shorter,
  add_string: both,
  add_bytes: both,
  starts_with_string: through(1, 1),
  ends_with_string: through(1, 1),
  string_to_bytes: through(1),
  bytes_to_string: through(1),
  strings_quote: through(1),
  string_format: through(1),
  matches: matched,
  matches_string: matched,
  contains_string: contained,
  list_sets_contains_list: crossed(1),
  list_sets_intersects_list: crossed(1),
  list_sets_equivalent_list: crossed(2),
  list_slice: ([, from, to]) => Math.max(0, Number(to) - Number(from)) + CALL_AND_LIST,
  list_reverse: ([list]) => sizeOf(list) + CALL_AND_LIST,
  lists_range: ([count]) => Math.max(0, Number(count)) + CALL_AND_LIST,
  list_distinct: ([list]) => compared(list),
  cidr_ip: 1,
};

const ordered = ['less', 'less_equals', 'greater', 'greater_equals'];
const orderedTexts = ordered.flatMap((word) => [`${word}_string`, `${word}_bytes`]);
Object.assign(BY_ID, Object.fromEntries(orderedTexts.map((id) => [id, shorter])));

function each(names: string, cost: Cost): Record<string, Cost> {
  return Object.fromEntries(names.split(' ').map((name) => [name, cost]));
}

const BY_NAME: Readonly<Record<string, Cost>> = {
  check: AUTHORIZATION,
  ...each('fieldSelector labelSelector', selected),
  ...each('isSorted sum max min indexOf lastIndexOf', ([list]) => traversal(list)),
  ...each('url isURL lowerAscii upperAscii substring trim', through(1)),
  ...each('replace split', through(2)),
  join: joined,
  ...each('find findAll', matched),
  ...each('cidr isIP isCIDR ip quantity isQuantity semver isSemver', through(1)),
  'ip.isCanonical': through(2),
  ...each('containsIP containsCIDR', within),
  validate: ([format, text]) => Math.ceil((1 + sizeOf(text)) * TEXT) * Math.ceil(sizeOfFormat(format) * PATTERN),
  ...each('sort @sortByAssociatedKeys', ([list, keys]) => compared(keys ?? list)),
  flatten: ([list, depth]) => sizeOf(list) * Math.max(0, Number(depth ?? 1)) + CALL_AND_LIST,
};
