import type { Type } from '../types/type.ts';
import type { Facts } from './facts.ts';
import { add, by, fixed, MAX_COST, multiply, type Range, UNKNOWN } from './range.ts';

export interface CallFacts {
  readonly name: string;
  readonly id: string;
  readonly target: Facts | undefined;
  readonly args: readonly Facts[];
}

export interface CallEstimate {
  /** without the costs of its arguments */
  readonly cost: Range;
  readonly size?: Range;
}

type Estimate = (call: CallFacts) => CallEstimate;

const TEXT = 0.1;
const PATTERN = 0.25;
const ONE = fixed(1);

/** The estimated cost of a call, without its arguments. */
export function callEstimate(call: CallFacts): CallEstimate {
  const estimate = BY_ID[call.id] ?? (Object.hasOwn(BY_NAME, call.name) ? BY_NAME[call.name] : undefined);
  return estimate?.(call) ?? { cost: ONE };
}

const size = (facts: Facts | undefined): Range => facts?.size ?? UNKNOWN;
const constant =
  (cost: number): Estimate =>
  () => ({ cost: fixed(cost) });

/** Calls that read their target, or their argument, one or more times. */
const throughTarget =
  (times: number): Estimate =>
  ({ target }) => ({ cost: by(size(target), TEXT * times), size: size(target) });
const throughArgument =
  (times: number): Estimate =>
  ({ args }) => ({ cost: by(size(args[0]), TEXT * times) });

/** The sizes of a list's items. */
function itemSize({ entries, place }: Facts): Range {
  const shape = place?.shape?.item;
  if (shape !== undefined) return { min: 0, max: shape.maxElements };
  return place === undefined ? UNKNOWN : (entries?.value ?? UNKNOWN);
}

function isText({ kind }: Type): boolean {
  return kind === 'string' || kind === 'bytes';
}

const listSearch: Estimate = ({ target }) => {
  if (target === undefined) return { cost: ONE };
  const [item] = target.type.params;
  if (item === undefined) return { cost: by(size(target), TEXT) };
  const each = isText(item) ? add(ONE, by(itemSize(target), TEXT)) : ONE;
  return { cost: multiply(size(target), each) };
};

const replaced: Estimate = ({ target, args: [old, fresh] }) => {
  const [text, before, after] = [size(target), size(old), size(fresh)];
  const most = timesReplaced(text.max, before.min, after.max <= before.min);
  const least = timesReplaced(text.min, before.max, before.max <= after.min);
  const kept = { min: least.kept, max: most.kept };
  const count = { min: least.count, max: most.count };
  return { cost: by(text, 2 * TEXT), size: add(multiply(count, after), kept) };
};

function timesReplaced(text: number, part: number, isShorter: boolean): { count: number; kept: number } {
  if (part === 0) return { count: Math.min(text + 1, MAX_COST), kept: text };
  return isShorter ? { count: 0, kept: text } : { count: Math.ceil(text / part), kept: 0 };
}

const split: Estimate = ({ target, args }) => {
  const text = size(target);
  const limit = args[1]?.expression;
  const most = limit?.kind === 'literal' && typeof limit.value === 'bigint' ? Number(limit.value) : text.max;
  return { cost: by(text, 2 * TEXT), size: { min: 0, max: most < 0 ? MAX_COST : most } };
};

const joined: Estimate = ({ target, args: [separator] }) => {
  const list = size(target);
  let made = target === undefined ? UNKNOWN : multiply(list, itemSize(target));
  const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  if (separator !== undefined) made = add(made, multiply(size(separator), between));
  return { cost: by(made, TEXT), size: made };
};

function matching(text: Range, pattern: Facts | undefined): Range {
  return multiply(by(add(text, ONE), TEXT), by(size(pattern), PATTERN));
}

const matched: Estimate = ({ target, args }) => ({ cost: matching(size(target), args[0]) });
const found: Estimate = ({ target, args }) => ({
  cost: matching(size(target), args[0]),
  size: { min: 0, max: size(target).max },
});
const contained: Estimate = ({ target, args: [part] }) => ({
  cost: multiply(by(size(target), TEXT), by(size(part), TEXT)),
});
const validated: Estimate = ({ args: [text] }) => ({ cost: by(by(size(text), TEXT), 128 * PATTERN) });

const compared: Estimate = ({ args: [a, b] }) => {
  const most = Math.min(size(a).max, size(b).max);
  return { cost: by({ min: most > 0 ? 1 : 0, max: most }, TEXT) };
};

const FLAT = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver']);

const FORMAT_SIZE = { min: 1, max: 64 };

const equal: Estimate = (call) => {
  const [a, b] = call.args;
  if (a?.type.kind !== 'opaque' || a.type.name !== b?.type.name) return compared(call);
  if (a.type.name === 'kubernetes.NamedFormat') return { cost: by(FORMAT_SIZE, TEXT) };
  // kube-apiserver takes the size of the second URL for both
  if (a.type.name === 'kubernetes.URL') return { cost: by({ min: 1, max: b.size?.max ?? 1 }, TEXT) };
  return FLAT.has(a.type.name) ? { cost: ONE } : compared(call);
};

const summed: Estimate = ({ id, args: [a, b] }) => {
  const both = add(size(a), size(b));
  return { cost: id === 'add_list' ? ONE : by(both, TEXT), size: both };
};

const ADDRESS: Range = { min: 4, max: 16 };

const inRange =
  (base: Range): Estimate =>
  ({ id, args: [other] }) => {
    const cost = id.endsWith('_string') ? add(base, by(size(other), TEXT)) : base;
    return { cost };
  };
const ofAddress = by(add(ADDRESS, ADDRESS), TEXT);
const ofRange = add(add(ofAddress, by(ADDRESS, TEXT)), ONE);

const crossed =
  (factor: number): Estimate =>
  ({ args: [a, b] }) => ({
    cost: add(by(multiply(size(a), size(b)), factor), ONE),
  });

const CALL_AND_LIST = 11;

/** A call that creates a list: its price for each item, and the size that kube-apiserver assumes for the list. */
function listMade(factor: number, count: Range): CallEstimate {
  return { cost: add(by(count, factor), fixed(CALL_AND_LIST)), size: count };
}

/** An argument that is a literal integer, where negative ones count as zero. */
function literalOr(other: number, argument: Facts | undefined): number {
  const expression = argument?.expression;
  if (expression?.kind !== 'literal' || typeof expression.value !== 'bigint') return other;
  return Math.max(0, Number(expression.value));
}

const sorted: Estimate = ({ target, args: [keys] }) => {
  const list = keys ?? target;
  const [item] = list?.type.params ?? [];
  const factor = item !== undefined && isText(item) ? 2 + TEXT : 2;
  return listMade(factor, multiply(size(list), size(list)));
};

const distinct: Estimate = ({ target }) => listMade(2, multiply(size(target), size(target)));
const reversed: Estimate = ({ target }) => listMade(1, size(target));
const flattened: Estimate = ({ target, args: [depth] }) =>
  listMade(depth === undefined ? 1 : literalOr(MAX_COST, depth), size(target));
const ranged: Estimate = ({ args: [count] }) => listMade(1, fixed(literalOr(MAX_COST, count)));
const sliced: Estimate = ({ target, args: [from, to] }) => {
  const count = literalOr(size(target).max, to) - literalOr(0, from);
  // like kube-apiserver, which subtracts unsigned numbers; such a slice always fails
  return listMade(1, fixed(count < 0 ? MAX_COST : count));
};

const selected: Estimate = ({ args: [text] }) => ({
  cost: add(fixed(10), add(by(size(text), TEXT), by(by(size(text), 0.5), 50))),
});

const BY_ID: Readonly<Record<string, Estimate>> = {
  string_format: ({ target }) => ({ cost: by(size(target), TEXT) }),
  string_to_bytes: ({ args: [text] }) => ({
    cost: by(size(text), TEXT),
    size: multiply(size(text), { min: 1, max: 4 }),
  }),
  bytes_to_string: ({ args: [bytes] }) => ({
    cost: by(size(bytes), TEXT),
    size: { min: Math.floor(size(bytes).min / 4), max: size(bytes).max },
  }),
  strings_quote: ({ args: [text] }) => ({
    cost: by(size(text), TEXT),
    size: add(multiply(size(text), { min: 1, max: 2 }), fixed(2)),
  }),
  starts_with_string: throughArgument(1),
  ends_with_string: throughArgument(1),
  in_list: ({ args }) => ({ cost: size(args[1]) }),
  matches_string: matched,
  contains_string: contained,
  add_string: summed,
  add_bytes: summed,
  add_list: summed,
  equals: equal,
  not_equals: compared,
  list_sets_contains_list: crossed(1),
  list_sets_intersects_list: crossed(1),
  list_sets_equivalent_list: crossed(2),
  list_slice: sliced,
  list_reverse: reversed,
  list_flatten: flattened,
  list_flatten_int: flattened,
  lists_range: ranged,
  list_distinct: distinct,
  cidr_ip: constant(1),
};

const orders = ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((word) => [
  `${word}_string`,
  `${word}_bytes`,
]);
Object.assign(BY_ID, Object.fromEntries(orders.map((id) => [id, compared])));

const each = (names: string, estimate: Estimate) =>
  Object.fromEntries(names.split(' ').map((name) => [name, estimate]));

const BY_NAME: Readonly<Record<string, Estimate>> = {
  check: constant(350_000),
  ...each('fieldSelector labelSelector', selected),
  ...each('isSorted sum max min indexOf lastIndexOf', listSearch),
  url: ({ args }) => ({ cost: by(size(args[0]), TEXT), size: size(args[0]) }),
  ...each('lowerAscii upperAscii substring trim', throughTarget(1)),
  replace: replaced,
  split,
  join: joined,
  ...each('find findAll', found),
  ...each('cidr isIP isCIDR ip quantity isQuantity semver isSemver', throughArgument(1)),
  'ip.isCanonical': throughArgument(2),
  containsIP: inRange(ofAddress),
  containsCIDR: inRange(ofRange),
  validate: validated,
  ...each('sort @sortByAssociatedKeys', sorted),
  getQuery: () => ({ cost: ONE, size: UNKNOWN }),
};
