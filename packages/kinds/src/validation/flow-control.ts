import type { Place } from './place.ts';
import type { Check, RuleTable } from './rules.ts';

const METHODS = ['ByNamespace', 'ByUser'];
const KINDS = ['Group', 'ServiceAccount', 'User'];

const flowSchema: Check = (spec) => {
  const level = spec.field('priorityLevelConfiguration.name');
  if (level.isEmpty) level.required('must reference a priority level');
  const method = spec.field('distinguisherMethod');
  if (method.value !== undefined && !METHODS.includes(method.field('type').text)) {
    method.field('type').unsupported(METHODS, method.value);
  }
  const precedence = spec.field('matchingPrecedence');
  if (Number(precedence.value) <= 0) precedence.invalid('must be a positive value');
  if (Number(precedence.value) > 10000) precedence.invalid('must not be greater than 10000');
};

const rule: Check = (place) => {
  const subjects = place.field('subjects');
  if (subjects.isEmpty) subjects.required('subjects must contain at least one value');
  for (const one of subjects.items()) {
    const kind = one.field('kind');
    if (!KINDS.includes(kind.text)) kind.unsupported(KINDS);
  }
  if (place.field('resourceRules').isEmpty && place.field('nonResourceRules').isEmpty) {
    place.required('at least one of resourceRules and nonResourceRules has to be non-empty');
  }
};

function someOf(...lists: ReadonlyArray<readonly [name: string, called: string]>): Check {
  return (place) => {
    for (const [name, called] of lists) {
      const list = place.field(name);
      if (list.isEmpty) list.required(`${called} must contain at least one value`);
    }
  };
}

const level: Check = (spec) => {
  const type = spec.field('type');
  const name = spec.up(1).field('metadata.name').text;
  if ((name === 'exempt') !== (type.text === 'Exempt')) {
    if (type.text === 'Exempt' || name === 'exempt') {
      type.invalid("must be 'Exempt' if and only if `name` is 'exempt'");
    }
  }
  const limited = spec.field('limited');
  if (type.text !== 'Exempt' && type.text !== 'Limited') type.unsupported(['Exempt', 'Limited']);
  else if (type.text === 'Limited' && limited.value === undefined) {
    limited.required('must not be empty when type is Limited');
  } else if (type.text === 'Exempt' && limited.value !== undefined) {
    limited.forbidden('must be nil if the type is not Limited');
  }
};

const shares: Check = (place) => {
  if (Number(place.value) < 0) place.invalid('must be a non-negative integer');
};

const response: Check = (place) => {
  const type = place.field('type').text;
  const queuing = place.field('queuing');
  if (type !== 'Queue' && type !== 'Reject') place.field('type').unsupported(['Queue', 'Reject']);
  else if (type === 'Reject' && queuing.value !== undefined) {
    queuing.forbidden('must be nil if limited.limitResponse.type is not Limited');
  } else if (type === 'Queue' && queuing.value === undefined) {
    queuing.required('must not be empty if limited.limitResponse.type is Limited');
  }
};

const queuing: Check = (place) => {
  const number = (name: string): Place => place.field(name);
  for (const name of ['queueLengthLimit', 'queues', 'handSize']) {
    if (Number(number(name).value) <= 0) number(name).invalid('must be positive');
  }
  const [queues, hand] = [Number(place.object.queues ?? 0), Number(place.object.handSize ?? 0)];
  if (hand > queues) number('handSize').invalid(`should not be greater than queues (${queues})`);
};

const VERBS = ['verbs', 'verbs'] as const;

export const flowControlRules: RuleTable = {
  'flowcontrol.v1.FlowSchemaSpec': { '': flowSchema },
  'flowcontrol.v1.PolicyRulesWithSubjects': { '': rule },
  'flowcontrol.v1.ResourcePolicyRule': { '': someOf(VERBS, ['apiGroups', 'apiGroups'], ['resources', 'resources']) },
  'flowcontrol.v1.NonResourcePolicyRule': { '': someOf(VERBS, ['nonResourceURLs', 'nonResourceURLs']) },
  'flowcontrol.v1.PriorityLevelConfigurationSpec': { '': level },
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': { nominalConcurrencyShares: shares },
  'flowcontrol.v1.LimitResponse': { '': response },
  'flowcontrol.v1.QueuingConfiguration': { '': queuing },
};
