import { allows, type PolicyRule, type RuleAttributes } from './policy-rule.ts';

const NONE: readonly PolicyRule[] = [];
/** the key of rules about paths */
const PATHS = '/';

/** The keys of the index under which a rule may match these attributes. */
export function indexKeysOf(attributes: RuleAttributes): readonly string[] {
  if (!attributes.isResource) return [PATHS];
  const { resource, subresource } = attributes;
  return subresource === '' ? ['*', resource] : ['*', `${resource}/${subresource}`, `*/${subresource}`];
}

/**
 * The rules of one role by their resources, so that a decision checks only the few rules that may match.
 *
 *   pods: [get], *: [list]      get pods → [list], [get]
 */
export class RuleIndex {
  readonly rules: readonly PolicyRule[];
  readonly #byKey = new Map<string, PolicyRule[]>();

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules;
    for (const rule of rules) {
      const keys = new Set(rule.resources);
      if ((rule.nonResourceURLs ?? []).length > 0) keys.add(PATHS);
      for (const key of keys) {
        const rulesOfKey = this.#byKey.get(key);
        if (rulesOfKey === undefined) this.#byKey.set(key, [rule]);
        else rulesOfKey.push(rule);
      }
    }
  }

  /** @param keys `indexKeysOf` the attributes; the caller computes them once for all roles */
  allow(attributes: RuleAttributes, keys: readonly string[]): boolean {
    for (const key of keys) {
      for (const rule of this.#byKey.get(key) ?? NONE) if (allows(rule, attributes)) return true;
    }
    return false;
  }
}
