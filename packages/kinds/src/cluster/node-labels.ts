import { labelValueProblems } from '../objects/names.ts';
import type { Place } from '../rules/place.ts';
import { keyOf, type Tell, tellOf } from '../rules/warnings.ts';

/** Labels of nodes that have another name by now, or none. */
const OUTDATED: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Of a map by which nodes are chosen. */
export function warnOfLabels(map: Place, tell: Tell, pathOf = (label: string) => keyOf(map, label)): void {
  for (const label of Object.keys(map.object)) {
    const words = OUTDATED.get(label);
    if (words !== undefined) tell(`${pathOf(label)}: ${words}`);
  }
}

/** Of the name of a label. */
export function warnOfLabel(place: Place, tell: Tell): void {
  const words = outdated(place);
  if (words !== undefined) tellOf(place, tell, `${place.text} is ${words}`);
}

/** What is to be said of the name of a label. */
export function outdated(place: Place): string | undefined {
  return OUTDATED.get(place.text);
}

/** Of one term; values are looked at where nobody refuses wrong ones. */
export function warnOfTerm(term: Place, tell: Tell, looksAtValues = false): void {
  for (const expression of term.field('matchExpressions').items()) {
    warnOfLabel(expression.field('key'), tell);
    if (!looksAtValues) continue;
    for (const value of expression.field('values').items()) {
      for (const problem of labelValueProblems(value.text)) {
        tellOf(value, tell, `${value.text} is invalid, ${problem}`);
      }
    }
  }
}
