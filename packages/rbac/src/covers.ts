import { HeldRules, type Positions } from './held-rules.ts';
import type { PolicyRule } from './policy-rule.ts';

/** What some rules give beyond others. */
export interface Beyond {
  /** of one right each: one verb on one resource or path, of one name or of all */
  readonly rules: readonly PolicyRule[];
  /** there is more, or there may be: to find out would be too much work */
  readonly isCut: boolean;
}

interface Limits {
  /** so many rights are told */
  readonly most: number;
  /** what it may cost: a million take some 60 ms */
  readonly steps: number;
}

const UNLIMITED: Limits = { most: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };

/**
 * What `wanted` gives beyond `held`, in the order of `wanted`. A rule stands for a product: verbs by groups by resources by
 * names. It is never written out, which a few kilobytes could make millions of rights: values that the same rules cover are
 * looked at as one.
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[], limits = UNLIMITED): Beyond {
  const steps = new Steps(limits.steps);
  const rules: PolicyRule[] = [];
  try {
    for (const rule of held) for (const values of Object.values(rule)) steps.take(values?.length ?? 0);
    const index = new HeldRules(held);
    for (const rule of wanted) {
      for (const product of productsOf(rule, index)) {
        for (const right of product.beyond(steps)) {
          if (rules.length === limits.most) return { rules, isCut: true };
          rules.push(right);
        }
      }
    }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return { rules, isCut: true };
  }
  return { rules, isCut: false };
}

class TooManySteps extends Error {}

class Steps {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManySteps();
  }
}

type Value = string | undefined;

function productsOf(rule: PolicyRule, held: HeldRules): Product[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names: readonly Value[] = resourceNames.length > 0 ? resourceNames : [undefined];
  const ofVerb = (verb: Value) => held.ofVerb(verb as string);
  return [
    new Product(
      [
        { values: apiGroups, covering: (group) => held.ofGroup(group as string) },
        { values: resources, covering: (resource) => held.ofResource(resource as string) },
        { values: verbs, covering: ofVerb },
        { values: names, covering: (name) => held.ofName(name) },
      ],
      ([group, resource, verb, name]) => ({
        apiGroups: [group as string],
        resources: [resource as string],
        ...(name !== undefined && { resourceNames: [name] }),
        verbs: [verb as string],
      }),
    ),
    new Product(
      [
        { values: nonResourceURLs, covering: (path) => held.ofPath(path as string) },
        { values: verbs, covering: ofVerb },
      ],
      ([path, verb]) => ({ nonResourceURLs: [path as string], verbs: [verb as string] }),
    ),
  ];
}

/** One dimension of a product, and which held rules cover a value of it. */
interface Axis {
  readonly values: readonly Value[];
  readonly covering: (value: Value) => Positions;
}

/** Values of an axis that the same held rules cover. */
interface Sort {
  readonly covering: Positions;
}

class Product {
  readonly #axes: readonly Axis[];
  readonly #ruleOf: (values: readonly Value[]) => PolicyRule;

  constructor(axes: readonly Axis[], ruleOf: (values: readonly Value[]) => PolicyRule) {
    this.#axes = axes;
    this.#ruleOf = ruleOf;
  }

  /** Each right that no single held rule covers. */
  *beyond(steps: Steps): Generator<PolicyRule> {
    if (this.#axes.some(({ values }) => values.length === 0)) return;
    if (this.#axes.every(({ values }) => values.length === 1)) {
      const values = this.#axes.map((axis) => axis.values[0]);
      const lists = this.#axes.map((axis, i) => axis.covering(values[i]));
      if (!haveCommon(lists, steps)) yield this.#ruleOf(values);
      return;
    }
    const sorts = this.#axes.map((axis) => sortsOf(axis, steps));
    const gaps = gapsIn(
      sorts.map((of) => new Set(of)),
      undefined,
      steps,
    );
    if (gaps !== undefined) yield* this.#rightsIn(gaps, sorts, [], steps);
  }

  *#rightsIn(gaps: Gaps, sorts: readonly Sort[][], chosen: readonly Value[], steps: Steps): Generator<PolicyRule> {
    const depth = chosen.length;
    const { values } = this.#axes[depth] as Axis;
    for (const [i, value] of values.entries()) {
      steps.take(1);
      const below = gaps === 'all' ? gaps : gaps.get(sorts[depth]?.[i] as Sort);
      if (below === undefined) continue;
      if (depth + 1 === this.#axes.length) yield this.#ruleOf([...chosen, value]);
      else yield* this.#rightsIn(below, sorts, [...chosen, value], steps);
    }
  }
}

/** For each value its sort: the same one for all that the same held rules cover. */
function sortsOf({ values, covering }: Axis, steps: Steps): Sort[] {
  const byList = new Map<Positions, Sort>();
  const byContent = new Map<string, Sort>();
  return values.map((value) => {
    const list = covering(value);
    steps.take(1);
    const known = byList.get(list);
    if (known !== undefined) return known;
    steps.take(list.length);
    const content = list.join();
    const sort = byContent.get(content) ?? { covering: list };
    byContent.set(content, sort);
    byList.set(list, sort);
    return sort;
  });
}

/** What is not covered, by the sort of its first value, then of its second, and so on; `all`: nothing below is. */
type Gaps = 'all' | ReadonlyMap<Sort, Gaps>;

/**
 * `candidates`: the held rules that cover the values chosen so far; undefined: none is chosen yet. Undefined: everything is
 * covered.
 */
function gapsIn(
  axes: ReadonlyArray<ReadonlySet<Sort>>,
  candidates: Positions | undefined,
  steps: Steps,
): Gaps | undefined {
  const [first, ...rest] = axes;
  if (first === undefined) return undefined;
  if (candidates?.some((one) => coversAll(one, axes, steps))) return undefined;
  const gaps = new Map<Sort, Gaps>();
  for (const sort of first) {
    steps.take(1 + (candidates ?? sort.covering).length);
    const left = candidates?.filter((one) => has(sort.covering, one)) ?? sort.covering;
    const below = left.length === 0 ? 'all' : gapsIn(rest, left, steps);
    if (below !== undefined) gaps.set(sort, below);
  }
  return gaps.size === 0 ? undefined : gaps;
}

function coversAll(position: number, axes: ReadonlyArray<ReadonlySet<Sort>>, steps: Steps): boolean {
  for (const axis of axes) {
    for (const { covering } of axis) {
      steps.take(1);
      if (!has(covering, position)) return false;
    }
  }
  return true;
}

function haveCommon(lists: readonly Positions[], steps: Steps): boolean {
  const [shortest = [], ...others] = [...lists].sort((a, b) => a.length - b.length);
  steps.take(1 + shortest.length);
  return shortest.some((one) => others.every((list) => has(list, one)));
}

/** Halves the list until it is found. */
function has(list: Positions, wanted: number): boolean {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((list[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return list[from] === wanted;
}
