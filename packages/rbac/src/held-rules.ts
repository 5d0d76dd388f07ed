import { type PolicyRule, prefixOf } from './policy-rule.ts';

/** Positions in the list of held rules, in ascending order. */
export type Positions = readonly number[];

const NONE: Positions = [];
const ALL = '*';

/**
 * An index of the rules that a user holds, by each value that they name. It finds the rules that cover a value without
 * a walk over all rules.
 */
export class HeldRules {
  readonly #verbs = new Map<string, number[]>();
  readonly #groups = new Map<string, number[]>();
  readonly #resources = new Map<string, number[]>();
  readonly #names = new Map<string, number[]>();
  /** rules that hold for objects of every name */
  readonly #ofEveryName: number[] = [];
  readonly #paths = new Map<string, number[]>();
  /** path patterns without the final `*`, by length */
  readonly #prefixes = new Map<number, Map<string, number[]>>();

  constructor(rules: readonly PolicyRule[]) {
    for (const [position, rule] of rules.entries()) {
      note(this.#verbs, rule.verbs, position);
      note(this.#groups, rule.apiGroups, position);
      note(this.#resources, rule.resources, position);
      note(this.#names, rule.resourceNames, position);
      if ((rule.resourceNames ?? []).length === 0) this.#ofEveryName.push(position);
      note(this.#paths, rule.nonResourceURLs, position);
      for (const pattern of rule.nonResourceURLs ?? []) this.#notePrefix(prefixOf(pattern), position);
    }
  }

  #notePrefix(prefix: string | undefined, position: number): void {
    if (prefix === undefined) return;
    const ofLength = this.#prefixes.get(prefix.length) ?? new Map<string, number[]>();
    this.#prefixes.set(prefix.length, ofLength);
    note(ofLength, [prefix], position);
  }

  ofVerb(verb: string): Positions {
    return union([this.#verbs.get(verb), this.#verbs.get(ALL)]);
  }

  ofGroup(group: string): Positions {
    return union([this.#groups.get(group), this.#groups.get(ALL)]);
  }

  /** `*` before a slash means that subresource of every resource. */
  ofResource(resource: string): Positions {
    const slash = resource.indexOf('/');
    const ofAny = slash < 0 ? undefined : this.#resources.get(`*${resource.slice(slash)}`);
    return union([this.#resources.get(resource), ofAny, this.#resources.get(ALL)]);
  }

  /** @param name undefined for objects of every name */
  ofName(name: string | undefined): Positions {
    return name === undefined ? this.#ofEveryName : union([this.#names.get(name), this.#ofEveryName]);
  }

  ofPath(path: string): Positions {
    const found = [this.#paths.get(path)];
    for (const [length, prefixes] of this.#prefixes) {
      if (length <= path.length) found.push(prefixes.get(path.slice(0, length)));
    }
    return union(found);
  }
}

function note(index: Map<string, number[]>, values: readonly string[] = [], position: number): void {
  for (const value of values) {
    const there = index.get(value);
    if (there === undefined) index.set(value, [position]);
    // a rule may name a value twice
    else if (there.at(-1) !== position) there.push(position);
  }
}

function union(lists: ReadonlyArray<Positions | undefined>): Positions {
  const present = lists.filter((list) => list !== undefined);
  if (present.length < 2) return present[0] ?? NONE;
  return [...new Set(present.flat())].sort((a, b) => a - b);
}
