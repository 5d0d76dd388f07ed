import { labelProblems, subdomainProblems } from '../objects/names.ts';
import { within } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const METHODS = ['ByNamespace', 'ByUser'];
const KINDS = ['Group', 'ServiceAccount', 'User'];

const flowSchema: Check = (spec) => {
  const level = spec.field('priorityLevelConfiguration.name');
  if (level.isEmpty) level.required('must reference a priority level');
  else level.invalidFor(subdomainProblems(level.text));
  const method = spec.field('distinguisherMethod');
  if (method.value !== undefined && !METHODS.includes(method.field('type').text)) {
    method.field('type').unsupported(METHODS, method.value);
  }
  const precedence = spec.field('matchingPrecedence');
  if (Number(precedence.value) <= 0) precedence.invalid('must be a positive value');
  if (Number(precedence.value) > 10000) precedence.invalid('must not be greater than 10000');
  if (precedence.value === 1 && spec.up(1).field('metadata.name').text !== 'exempt') {
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1");
  }
};

/** The field of each kind of subject. */
const PARTS: Readonly<Record<string, string>> = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' };

const subject: Check = (place) => {
  const kind = place.field('kind');
  if (!KINDS.includes(kind.text)) {
    kind.unsupported(KINDS);
    return;
  }
  for (const [of, name] of Object.entries(PARTS)) {
    const part = place.field(name);
    if (of !== kind.text) {
      if (part.value !== undefined) part.forbidden(`${name} is forbidden when subject kind is not '${of}'`);
    } else if (part.value === undefined) part.required(`${name} is required when subject kind is '${of}'`);
    else if (of === 'ServiceAccount') account(part);
    else if (part.field('name').isEmpty) part.field('name').required();
  }
};

function account(place: Place): void {
  const [name, namespace] = [place.field('name'), place.field('namespace')];
  if (name.isEmpty) name.required();
  else if (name.text !== '*') name.invalidFor(subdomainProblems(name.text));
  if (namespace.isEmpty) namespace.required('must specify namespace for service account');
  else namespace.invalidFor(labelProblems(namespace.text));
}

const rule: Check = (place) => {
  const subjects = place.field('subjects');
  if (subjects.isEmpty) subjects.required('subjects must contain at least one value');
  if (place.field('resourceRules').isEmpty && place.field('nonResourceRules').isEmpty) {
    place.required('at least one of resourceRules and nonResourceRules has to be non-empty');
  }
};

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

const verbs = (place: Place): void => {
  const list = place.field('verbs');
  if (list.isEmpty) list.required('verbs must contain at least one value');
  else if (list.list.includes('*')) wildcardAlone(list, 'verbs');
  else if (!list.list.every((verb) => VERBS.includes(String(verb)))) list.unsupported(VERBS);
};

function wildcardAlone(list: Place, called: string): void {
  if (list.list.length > 1 && list.list.includes('*')) {
    list.invalid(`if '*' is present, must not specify other ${called}`);
  }
}

const resourceRule: Check = (place) => {
  verbs(place);
  for (const [name, one, many] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const list = place.field(name);
    if (list.isEmpty) list.required(`resource rules must supply at least one ${one}`);
    else wildcardAlone(list, many);
  }
  const namespaces = place.field('namespaces');
  if (namespaces.isEmpty) {
    if (place.object.clusterScope !== true) {
      namespaces.required('resource rules that are not cluster scoped must supply at least one namespace');
    }
    return;
  }
  wildcardAlone(namespaces, 'namespaces');
  for (const one of namespaces.items()) {
    if (one.text === '*') continue;
    for (const problem of labelProblems(one.text)) {
      one.invalid(`each member of this list must be '*' or a DNS-1123 label; ${problem}`);
    }
  }
};

const urlRule: Check = (place) => {
  verbs(place);
  const urls = place.field('nonResourceURLs');
  if (urls.isEmpty) urls.required('nonResourceURLs must contain at least one value');
  else if (urls.list.includes('*')) {
    if (urls.list.length > 1) urls.invalid("if '*' is present, must not specify other non-resource URLs");
  } else for (const one of urls.items()) path(one);
};

function path(place: Place): void {
  const { text } = place;
  if (text === '') place.invalid('must not be empty');
  else if (!text.startsWith('/')) place.invalid('must start with slash');
  else if (text.includes(' ')) place.invalid('must not contain white-space');
  else if (text.includes('//')) place.invalid('must not contain double slash');
  else if (text.slice(0, -1).includes('*')) place.invalid('wildcard can only do suffix matching');
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
  if (type.text === 'Limited' && spec.has('exempt'))
    spec.field('exempt').forbidden('must be nil if the type is Limited');
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

const MAX_QUEUES = 10_000_000;
const MAX_BITS = 60;

const queuing: Check = (place) => {
  const number = (name: string): Place => place.field(name);
  for (const name of ['queueLengthLimit', 'queues', 'handSize']) {
    if (Number(number(name).value) <= 0) number(name).invalid('must be positive');
  }
  const [queues, hand] = [Number(place.object.queues ?? 0), Number(place.object.handSize ?? 0)];
  if (queues > MAX_QUEUES) number('queues').invalid(`must not be greater than ${MAX_QUEUES}`);
  if (hand > queues) number('handSize').invalid(`should not be greater than queues (${queues})`);
  else if (bitsOfHand(queues, hand) > MAX_BITS) {
    number('handSize').invalid(
      `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${MAX_BITS}`,
    );
  }
};

/** The number of bits needed to deal a hand of different queues; counting stops above the limit. */
function bitsOfHand(queues: number, hand: number): number {
  let bits = 0;
  for (let dealt = 0; dealt < hand && bits <= MAX_BITS; dealt++) bits += Math.log2(queues - dealt);
  return Math.ceil(bits);
}

const borrowing: Check = (place) => {
  if (Number(place.value) < 0) place.invalid('if specified, must be a non-negative integer');
};

const limited = { nominalConcurrencyShares: shares, lendablePercent: within(0, 100) };

export const flowControlChecks: RuleTable = {
  'flowcontrol.v1.FlowSchemaSpec': { '': flowSchema },
  'flowcontrol.v1.PolicyRulesWithSubjects': { '': rule },
  'flowcontrol.v1.Subject': { '': subject },
  'flowcontrol.v1.ResourcePolicyRule': { '': resourceRule },
  'flowcontrol.v1.NonResourcePolicyRule': { '': urlRule },
  'flowcontrol.v1.PriorityLevelConfigurationSpec': {
    // a forbidden field is not checked
    exempt: ({ holder }) => holder?.object.type === 'Exempt',
    limited: ({ holder }) => holder?.object.type === 'Limited',
    '': level,
  },
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': { ...limited, borrowingLimitPercent: borrowing },
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': limited,
  'flowcontrol.v1.LimitResponse': { queuing: ({ holder }) => holder?.object.type === 'Queue', '': response },
  'flowcontrol.v1.QueuingConfiguration': { '': queuing },
};
