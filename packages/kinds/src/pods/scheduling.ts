import type { JsonObject } from '@tidegate/schema';
import { labelKeyProblems, labelProblems, labelValueProblems, subdomainProblems } from '../objects/names.ts';
import { requiredOneOf, textOf, within } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export const labelKey: Check = (place) => place.invalidFor(labelKeyProblems(place.text), place.text);
const wantedKey: Check = Object.assign((place: Place) => labelKey(place), { always: true });

const toleration: Check = (place) => {
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((name) => place.field(name));
  if (key === undefined || operator === undefined || value === undefined || effect === undefined) return;
  if (key.text !== '') labelKey(key);
  else if (operator.text !== 'Exists') {
    operator.invalid(
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      operator.text,
    );
  }
  if (place.has('tolerationSeconds') && effect.text !== 'NoExecute') {
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text);
  }
  if (operator.text === 'Exists') {
    if (value.text !== '') operator.invalid("value must be empty when `operator` is 'Exists'", value.text);
  } else if (operator.text === 'Equal' || operator.text === '') {
    const [problem] = labelValueProblems(value.text);
    if (problem !== undefined) operator.invalid(problem, value.text);
  } else {
    const compares = operator.text === 'Lt' || operator.text === 'Gt';
    operator.unsupported(compares ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists']);
  }
  if (effect.text !== '' && !EFFECTS.includes(effect.text)) effect.unsupported(EFFECTS);
};

const nodeRequirement: Check = (place) => {
  const operator = place.field('operator');
  const values = place.field('values');
  switch (operator.text) {
    case 'In':
    case 'NotIn':
      if (values.list.length === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.list.length > 0)
        values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    case 'Gt':
    case 'Lt':
      if (values.list.length !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      operator.invalid('not a valid selector operator', operator.text);
  }
};

/** Checks the keys and values of a node selector. */
const valuesOfLabels: Check = (place) => {
  const wanted = place.up(5).step.toString().startsWith('required');
  if (wanted) for (const value of place.items()) value.invalidFor(labelValueProblems(value.text));
};

/** Checks matchFields: only the name of a node can be selected. */
const nodeField: Check = (place) => {
  for (const one of place.items()) {
    const [key, operator, values] = [one.field('key'), one.field('operator'), one.field('values')];
    if (operator.text !== 'In' && operator.text !== 'NotIn') {
      operator.invalid('not a valid selector operator', operator.text);
    } else if (values.list.length !== 1) {
      values.required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
    if (key.text !== 'metadata.name') key.invalid('not a valid field selector key', key.text);
    else for (const value of values.items()) value.invalidFor(subdomainProblems(value.text));
  }
  return false;
};

/** Checks matchLabelKeys, whose values come from the pod itself. */
const ownKeys: Check = (term) => {
  const [matching, other] = [term.field('matchLabelKeys'), term.field('mismatchLabelKeys')];
  for (const list of [matching, other]) {
    if (list.isEmpty) continue;
    if (!term.has('labelSelector')) list.forbidden('must not be specified when labelSelector is not set');
    else for (const key of list.items()) key.invalidFor(labelKeyProblems(key.text), key.text);
  }
  const isTwice = twiceIn(term);
  const others = new Set(other.list);
  for (const [index, key] of matching.list.entries()) {
    if (isTwice(String(key))) term.item(index).invalid('exists in both matchLabelKeys and labelSelector', key);
    if (others.has(key)) {
      matching.item(index).invalid('exists in both matchLabelKeys and mismatchLabelKeys');
    }
  }
};

/** The keys that the selector of a term has more than once. */
function twiceIn(term: Place): (key: string) => boolean {
  const selector = term.field('labelSelector');
  const labels = selector.field('matchLabels').object;
  const expressions = new Map<unknown, number>();
  for (const { object } of selector.field('matchExpressions').items()) {
    expressions.set(object.key, (expressions.get(object.key) ?? 0) + 1);
  }
  return (key) => {
    const count = expressions.get(key) ?? 0;
    return count > 0 && count + (Object.hasOwn(labels, key) ? 1 : 0) > 1;
  };
}

/** Kubernetes reports errors of namespaces for the field `namespace`. */
const namespaces: Check = (list) => {
  for (const one of list.items()) {
    list
      .up(1)
      .as('namespace', one.value ?? null)
      .invalidFor(labelProblems(one.text), one.text);
  }
};

const spread: Check = (place) => {
  const skew = Number(place.object.maxSkew ?? 0);
  if (skew <= 0) place.field('maxSkew').invalid('must be greater than zero', skew);
  const key = place.field('topologyKey');
  if (key.text === '') key.required('can not be empty');
  const action = place.field('whenUnsatisfiable');
  if (!ACTIONS.includes(action.text)) action.unsupported(ACTIONS);
  const domains = place.field('minDomains');
  if (domains.value === undefined) return;
  if (Number(domains.value) <= 0) domains.invalid('must be greater than zero');
  if (action.text !== 'DoNotSchedule') {
    domains.invalid(`can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action.text}`);
  }
};

/** Each pair of topology key and whenUnsatisfiable may occur once. */
const spreads: Check = (list) => {
  const pairOf = ({ topologyKey, whenUnsatisfiable }: JsonObject) => textOf([topologyKey, whenUnsatisfiable]);
  const items = list.items();
  const last = new Map(items.map(({ object }, index) => [pairOf(object), index]));
  for (const [index, one] of items.entries()) {
    if (last.get(pairOf(one.object)) === index) continue;
    const { topologyKey, whenUnsatisfiable } = one.object;
    one.as('{topologyKey, whenUnsatisfiable}', null).duplicate(`{${topologyKey}, ${whenUnsatisfiable}}`);
  }
};

const gates: Check = (list) => {
  const seen = new Set<string>();
  for (const gate of list.items()) {
    const name = gate.field('name').text;
    if (seen.has(name)) gate.duplicate(name);
    seen.add(name);
  }
};
export const schedulingLists = { topologySpreadConstraints: spreads, schedulingGates: gates };
const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];

const topologyKey: Check = Object.assign(
  (place: Place) => {
    if (place.text === '') place.required('can not be empty');
    labelKey(place);
  },
  { always: true },
);

const someTerms: Check = Object.assign(
  (place: Place) => {
    if (place.list.length === 0) place.required('must have at least one node selector term');
  },
  { always: true },
);

const gateName = (place: Place): string => place.field('name').text;
const weight = within(1, 100, 'must be in the range 1-100');

export const schedulingChecks: RuleTable = {
  'core.v1.Toleration': { '': toleration },
  'core.v1.NodeSelector': { nodeSelectorTerms: someTerms },
  'core.v1.NodeSelectorTerm': { matchFields: nodeField },
  'core.v1.NodeSelectorRequirement': { '': nodeRequirement, key: wantedKey, values: valuesOfLabels },
  'core.v1.PreferredSchedulingTerm': { weight },
  'core.v1.WeightedPodAffinityTerm': { weight },
  'core.v1.PodAffinityTerm': { topologyKey, namespaces, '': ownKeys },
  'core.v1.TopologySpreadConstraint': {
    '': [spread, ownKeys],
    nodeAffinityPolicy: requiredOneOf('Honor', 'Ignore'),
    nodeTaintsPolicy: requiredOneOf('Honor', 'Ignore'),
  },
  'core.v1.PodSchedulingGate': { '': (place) => place.invalidFor(labelKeyProblems(gateName(place)), gateName(place)) },
};
