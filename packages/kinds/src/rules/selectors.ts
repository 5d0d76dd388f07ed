import type { JsonObject } from '@tidegate/schema';
import { labelKeyProblems, labelValueProblems } from '../objects/names.ts';
import { labels } from './checks.ts';
import type { Check, RuleTable } from './type-rules.ts';

const WITH_VALUES = new Set(['In', 'NotIn']);
const WITHOUT_VALUES = new Set(['Exists', 'DoesNotExist']);

const requirement: Check = (place) => {
  const { operator = '' } = place.object as { operator?: string };
  const values = place.field('values');
  if (WITH_VALUES.has(operator)) {
    if (values.list.length === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (WITHOUT_VALUES.has(operator)) {
    if (values.list.length > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else place.field('operator').invalid('not a valid selector operator', operator);
  const key = place.field('key');
  key.invalidFor(labelKeyProblems(key.text), key.text);
  for (const value of values.items()) value.invalidFor(labelValueProblems(value.text));
};

export const selectorChecks: RuleTable = {
  'meta.v1.LabelSelector': { matchLabels: labels },
  'meta.v1.LabelSelectorRequirement': { '': requirement },
};

interface Requirement {
  key?: string;
  operator?: string;
  values?: string[];
}

/** Whether a selector matches labels; undefined for an invalid selector. An absent selector matches nothing. */
export function selects(
  selector: JsonObject | undefined,
  chosen: Readonly<Record<string, string>>,
): boolean | undefined {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector as {
    matchLabels?: Record<string, string>;
    matchExpressions?: Requirement[];
  };
  let fits = true;
  for (const { key = '', operator = '', values = [] } of matchExpressions) {
    const value = Object.hasOwn(chosen, key) ? chosen[key] : undefined;
    if (WITH_VALUES.has(operator) ? values.length === 0 : values.length > 0) return undefined;
    if (labelKeyProblems(key).length > 0 || values.some((one) => labelValueProblems(one).length > 0)) return undefined;
    if (operator === 'In') fits &&= value !== undefined && values.includes(value);
    else if (operator === 'NotIn') fits &&= value === undefined || !values.includes(value);
    else if (operator === 'Exists') fits &&= value !== undefined;
    else if (operator === 'DoesNotExist') fits &&= value === undefined;
    else return undefined;
  }
  for (const [key, value] of Object.entries(matchLabels)) {
    if (labelKeyProblems(key).length + labelValueProblems(value).length > 0) return undefined;
    fits &&= Object.hasOwn(chosen, key) && chosen[key] === value;
  }
  return fits;
}
