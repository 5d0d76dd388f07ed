import { labelValueProblems } from '../objects/names.ts';
import type { Place } from '../rules/place.ts';
import { type AddWarning, keyOf, warnAt } from '../rules/warnings.ts';

/** Deprecated labels of nodes, with their new names, if any. */
const DEPRECATED: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Warns of deprecated labels in a map that selects nodes. */
export function warnOfLabels(map: Place, warn: AddWarning, pathOf = (label: string) => keyOf(map, label)): void {
  for (const label of Object.keys(map.object)) {
    const text = DEPRECATED.get(label);
    if (text !== undefined) warn(`${pathOf(label)}: ${text}`);
  }
}

/** Warns of a deprecated label. */
export function warnOfLabel(place: Place, warn: AddWarning): void {
  const text = deprecationOf(place);
  if (text !== undefined) warnAt(place, warn, `${place.text} is ${text}`);
}

/** The warning for a deprecated label. */
export function deprecationOf(place: Place): string | undefined {
  return DEPRECATED.get(place.text);
}

/** Warns of one node selector term; values are checked only when validation does not check them. */
export function warnOfTerm(term: Place, warn: AddWarning, checksValues = false): void {
  for (const expression of term.field('matchExpressions').items()) {
    warnOfLabel(expression.field('key'), warn);
    if (!checksValues) continue;
    for (const value of expression.field('values').items()) {
      for (const problem of labelValueProblems(value.text)) {
        warnAt(value, warn, `${value.text} is invalid, ${problem}`);
      }
    }
  }
}
