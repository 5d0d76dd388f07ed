import { labelKeyProblems, labelValueProblems } from '../../rules/names.ts';
import { oneOf, within } from '../checks.ts';
import type { Place } from '../place.ts';
import type { Check, RuleTable } from '../rules.ts';

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
  } else operator.unsupported(['Equal', 'Exists']);
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
    domains.invalid('can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway');
  }
};
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

export const schedulingRules: RuleTable = {
  'core.v1.Toleration': { '': toleration },
  'core.v1.NodeSelector': { nodeSelectorTerms: someTerms },
  'core.v1.NodeSelectorRequirement': { '': nodeRequirement, key: wantedKey },
  'core.v1.PreferredSchedulingTerm': { weight },
  'core.v1.WeightedPodAffinityTerm': { weight },
  'core.v1.PodAffinityTerm': { topologyKey },
  'core.v1.TopologySpreadConstraint': {
    '': spread,
    nodeAffinityPolicy: oneOf('Honor', 'Ignore'),
    nodeTaintsPolicy: oneOf('Honor', 'Ignore'),
  },
  'core.v1.PodSchedulingGate': { '': (place) => place.invalidFor(labelKeyProblems(gateName(place)), gateName(place)) },
};
