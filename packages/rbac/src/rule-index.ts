import { allows, type Deed, type PolicyRule } from './policy-rule.ts';

const NONE: readonly PolicyRule[] = [];
/** under which rules about paths stand */
const PATHS = '/';

/** Under which a role's rules stand that may be about a deed. */
export function placesOf(deed: Deed): readonly string[] {
  if (!deed.isResource) return [PATHS];
  const { resource, subresource } = deed;
  return subresource === '' ? ['*', resource] : ['*', `${resource}/${subresource}`, `*/${subresource}`];
}

/**
 * The rules of one role by what they are about, so that a decision looks at those few that may be about it.
 *
 *   pods: [get], *: [list]      get pods → [list], [get]
 */
export class RuleIndex {
  readonly rules: readonly PolicyRule[];
  readonly #places = new Map<string, PolicyRule[]>();

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules;
    for (const rule of rules) {
      const places = new Set(rule.resources);
      if ((rule.nonResourceURLs ?? []).length > 0) places.add(PATHS);
      for (const place of places) {
        const there = this.#places.get(place);
        if (there === undefined) this.#places.set(place, [rule]);
        else there.push(rule);
      }
    }
  }

  /** `places`: those of the deed */
  allow(deed: Deed, places: readonly string[]): boolean {
    for (const place of places) {
      for (const rule of this.#places.get(place) ?? NONE) if (allows(rule, deed)) return true;
    }
    return false;
  }
}
