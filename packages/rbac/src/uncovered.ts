import { HeldRules, type Positions } from './held-rules.ts';
import type { PolicyRule } from './policy-rule.ts';

/** The permissions that some rules grant and others do not. */
export interface Uncovered {
  /** one permission each: one verb on one resource or path, for one name or for all names */
  readonly rules: readonly PolicyRule[];
  /** a limit was reached, so there are or may be more permissions */
  readonly isCut: boolean;
}

interface Limits {
  /** the most permissions to return */
  readonly most: number;
  /** the most steps of the comparison; a million steps take about 60 ms */
  readonly steps: number;
}

const UNLIMITED: Limits = { most: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };

/**
 * Returns the permissions that `wanted` grants and `held` does not, in the order of `wanted`. A rule is a product of
 * verbs, groups, resources and names. The product is never expanded, because a few kilobytes of rules can mean millions
 * of permissions. Values that are covered by the same held rules are compared once.
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[], limits = UNLIMITED): Uncovered {
  const steps = new Steps(limits.steps);
  const rules: PolicyRule[] = [];
  try {
    for (const rule of held) for (const values of Object.values(rule)) steps.take(values?.length ?? 0);
    const index = new HeldRules(held);
    for (const rule of wanted) {
      for (const product of productsOf(rule, index)) {
        for (const permission of product.uncovered(steps)) {
          if (rules.length === limits.most) return { rules, isCut: true };
          rules.push(permission);
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

/** One dimension of a product, and the held rules that cover each of its values. */
interface Axis {
  readonly values: readonly Value[];
  readonly covering: (value: Value) => Positions;
}

/** The values of an axis that are covered by the same held rules. */
interface ValueClass {
  readonly covering: Positions;
}

class Product {
  readonly #axes: readonly Axis[];
  readonly #ruleOf: (values: readonly Value[]) => PolicyRule;

  constructor(axes: readonly Axis[], ruleOf: (values: readonly Value[]) => PolicyRule) {
    this.#axes = axes;
    this.#ruleOf = ruleOf;
  }

  /** Yields each permission that no single held rule covers. */
  *uncovered(steps: Steps): Generator<PolicyRule> {
    if (this.#axes.some(({ values }) => values.length === 0)) return;
    if (this.#axes.every(({ values }) => values.length === 1)) {
      const values = this.#axes.map((axis) => axis.values[0]);
      const lists = this.#axes.map((axis, i) => axis.covering(values[i]));
      if (!haveCommon(lists, steps)) yield this.#ruleOf(values);
      return;
    }
    const classes = this.#axes.map((axis) => valueClassesOf(axis, steps));
    const gaps = gapsIn(
      classes.map((of) => new Set(of)),
      undefined,
      steps,
    );
    if (gaps !== undefined) yield* this.#permissionsIn(gaps, classes, [], steps);
  }

  *#permissionsIn(
    gaps: Gaps,
    classes: readonly ValueClass[][],
    chosen: readonly Value[],
    steps: Steps,
  ): Generator<PolicyRule> {
    const depth = chosen.length;
    const { values } = this.#axes[depth] as Axis;
    for (const [i, value] of values.entries()) {
      steps.take(1);
      const below = gaps === 'all' ? gaps : gaps.get(classes[depth]?.[i] as ValueClass);
      if (below === undefined) continue;
      if (depth + 1 === this.#axes.length) yield this.#ruleOf([...chosen, value]);
      else yield* this.#permissionsIn(below, classes, [...chosen, value], steps);
    }
  }
}

/** The class of each value. Values that are covered by the same held rules share one object. */
function valueClassesOf({ values, covering }: Axis, steps: Steps): ValueClass[] {
  const byList = new Map<Positions, ValueClass>();
  const byContent = new Map<string, ValueClass>();
  return values.map((value) => {
    const list = covering(value);
    steps.take(1);
    const known = byList.get(list);
    if (known !== undefined) return known;
    steps.take(list.length);
    const content = list.join();
    const valueClass = byContent.get(content) ?? { covering: list };
    byContent.set(content, valueClass);
    byList.set(list, valueClass);
    return valueClass;
  });
}

/**
 * The uncovered part: a map by the class of the first value, then of the second, and so on; `all`: nothing is covered.
 */
type Gaps = 'all' | ReadonlyMap<ValueClass, Gaps>;

/**
 * Returns undefined when everything is covered.
 *
 * @param candidates the held rules that cover the values chosen so far; undefined before the first choice
 */
function gapsIn(
  axes: ReadonlyArray<ReadonlySet<ValueClass>>,
  candidates: Positions | undefined,
  steps: Steps,
): Gaps | undefined {
  const [first, ...rest] = axes;
  if (first === undefined) return undefined;
  if (candidates?.some((one) => coversAll(one, axes, steps))) return undefined;
  const gaps = new Map<ValueClass, Gaps>();
  for (const valueClass of first) {
    steps.take(1 + (candidates ?? valueClass.covering).length);
    const left = candidates?.filter((one) => has(valueClass.covering, one)) ?? valueClass.covering;
    const below = left.length === 0 ? 'all' : gapsIn(rest, left, steps);
    if (below !== undefined) gaps.set(valueClass, below);
  }
  return gaps.size === 0 ? undefined : gaps;
}

function coversAll(position: number, axes: ReadonlyArray<ReadonlySet<ValueClass>>, steps: Steps): boolean {
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

/** Binary search. */
function has(list: Positions, wanted: number): boolean {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((list[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return list[from] === wanted;
}
