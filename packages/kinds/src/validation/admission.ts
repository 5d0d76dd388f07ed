import { tooMany } from '@tidegate/status';
import { readCondition } from '../admission/conditions.ts';
import { readPolicy } from '../admission/policy.ts';
import { label1035Problems, labelKeyProblems, pathSegmentProblems, subdomainProblems } from '../rules/names.ts';
import { always, among, required, subdomain, uniqueBy, within } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable, TypeRules } from './rules.ts';

const REVIEWS = ['v1', 'v1beta1'];

const reviewVersions = always((place) => {
  if (place.isEmpty) {
    place.required(`must specify one of ${REVIEWS.join(', ')}`);
    return;
  }
  const seen = new Set<string>();
  for (const one of place.items()) {
    one.invalidFor(label1035Problems(one.text));
    if (seen.has(one.text)) one.invalid('duplicate version');
    seen.add(one.text);
  }
  if (!REVIEWS.some((version) => seen.has(version))) {
    place.invalid(`must include at least one of ${REVIEWS.join(', ')}`);
  }
});

const sideEffects = always((place) => {
  if (place.value === undefined) place.required('must specify one of None, NoneOnDryRun');
  else if (!EFFECTS.includes(place.text)) place.unsupported(EFFECTS);
});
const EFFECTS = ['None', 'NoneOnDryRun'];

const threeSegments: Check = always((place) => {
  if (place.text === '') {
    place.required();
    return;
  }
  const problems = subdomainProblems(place.text);
  if (problems.length > 0) place.invalidFor(problems);
  else if (place.text.split('.').length < 3) {
    place.invalid('should be a domain with at least three segments separated by dots');
  }
});

const URL_FORM = 'desired format: https://host[/path]';

/** One way to reach it, and that a safe one. */
export const clientConfig: Check = always(checkClientConfig);

export function checkClientConfig(place: Place): void {
  const url = place.field('url');
  if (place.has('service') === place.has('url')) {
    place.required('exactly one of url or service is required');
    return;
  }
  if (url.value === undefined) {
    webhookService(place.field('service'));
    return;
  }
  const parsed = URL.parse(url.text);
  const scheme = /^([a-zA-Z][-+.\w]*):/.exec(url.text)?.[1] ?? '';
  if (scheme !== 'https') url.invalid(`'https' is the only allowed URL scheme; ${URL_FORM}`, scheme);
  if (parsed === null || parsed.host === '') url.invalid(`host must be specified; ${URL_FORM}`, '');
  else {
    const { username, password } = parsed;
    const user = password === '' ? username : `${username}:${password}`;
    if (user !== '') url.invalid('user information is not permitted in the URL', user);
    if (parsed.hash !== '') url.invalid('fragments are not permitted in the URL', parsed.hash.slice(1));
    if (parsed.search !== '') url.invalid('query parameters are not permitted in the URL', parsed.search.slice(1));
  }
}

function webhookService(service: Place): void {
  for (const name of ['name', 'namespace']) {
    const field = service.field(name);
    if (field.isEmpty) field.required();
  }
  const port = service.field('port');
  if (port.value !== undefined) within(1, 65535, 'port is not valid: must be between 1 and 65535, inclusive')(port);
  const path = service.field('path');
  if (path.value !== undefined) urlPath(path);
}

/** Each part of it is called as parts of host names are. */
function urlPath(path: Place): void {
  const { text } = path;
  if (text === '' || text === '/') return;
  if (text === '//') {
    path.invalid('segment[0] may not be empty');
    return;
  }
  if (!text.startsWith('/')) path.invalid("must start with a '/'");
  const parts = text.slice(1).replace(/\/$/, '').split('/');
  for (const [index, part] of parts.entries()) {
    if (part === '') path.invalid(`segment[${index}] may not be empty`);
    else for (const words of subdomainProblems(part)) path.invalid(`segment[${index}]: ${words}`);
  }
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

const rule: Check = (place) => {
  for (const [name, called] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
    ['operations', 'operations'],
  ] as const) {
    const list = place.field(name);
    if (list.isEmpty) list.required();
    else if (list.list.length > 1 && list.list.includes('*')) {
      list.invalid(`if '*' is present, must not specify other ${called}`);
    }
  }
  for (const one of place.field('operations').items()) if (!OPERATIONS.includes(one.text)) one.unsupported(OPERATIONS);
  for (const one of place.field('apiVersions').items()) if (one.text === '') one.required();
  const resources = place.field('resources');
  if (resources.isEmpty) resources.required();
  for (const one of resources.items()) if (one.text === '') one.required();
};

const resourceNames: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    one.invalidFor(pathSegmentProblems(one.text));
    if (seen.has(one.text)) one.duplicate();
    seen.add(one.text);
  }
};

const conditionName: Check = always((place) => {
  if (place.text === '') place.required();
  else place.invalidFor(labelKeyProblems(place.text));
});

const conditions: Check = (place) => {
  place.atMost(MOST_CONDITIONS);
  const seen = new Set<string>();
  for (const one of place.items()) {
    const name = one.field('name');
    if (name.text !== '' && seen.has(name.text)) name.duplicate();
    seen.add(name.text);
  }
};
const MOST_CONDITIONS = 64;

const expression: Check = always((place) => {
  if (place.text.trim() === '') {
    place.required();
    return;
  }
  // what a policy's conditions can look at depends on the policy
  if (place.up(3).step === 'spec') return;
  const read = readCondition(place.text);
  if ('problem' in read) place.invalid(read.problem);
});

/** Of one configuration no more conditions are read than a thousand. */
const webhooks: Check = (list) => {
  const counts = list.items().map((one) => one.field('matchConditions').list.length);
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all <= MOST_EXPRESSIONS) return uniqueBy('name')(list);
  list.tell(() => tooMany(`${list.path}[*].matchConditions`, all, MOST_EXPRESSIONS));
  return false;
};

const webhook: TypeRules = {
  name: threeSegments,
  admissionReviewVersions: reviewVersions,
  sideEffects,
  clientConfig,
  failurePolicy: among('Fail', 'Ignore'),
  matchPolicy: among('Equivalent', 'Exact'),
  timeoutSeconds: within(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  matchConditions: conditions,
};

const rules: TypeRules = { scope: among('*', 'Cluster', 'Namespaced'), '': rule };

/** Each expression is read before anything is answered. */
const MOST_EXPRESSIONS = 1000;
const READ = ['variables', 'matchConditions', 'validations', 'auditAnnotations'];

const policy: Check = (spec) => {
  const long = READ.filter((list) => spec.field(list).list.length > MOST_EXPRESSIONS);
  for (const list of long) spec.field(list).atMost(MOST_EXPRESSIONS);
  if (long.length > 0) return;
  for (const { list, index, field, words } of readPolicy(spec.object).problems) {
    spec.field(list).item(index).field(field).invalid(words);
  }
  const [validations, annotations] = [spec.field('validations'), spec.field('auditAnnotations')];
  if (!validations.isEmpty || !annotations.isEmpty) return;
  for (const list of [validations, annotations]) {
    list.required('validations or auditAnnotations must contain at least one item');
  }
};

const validation: Check = (place) => {
  const text = place.field('expression');
  if (text.text.trim() === '') text.required('expression is not specified');
};

const variable: Check = (place) => {
  const name = place.field('name');
  if (name.text.trim() === '') name.required('name is not specified');
  else if (!IDENTIFIER.test(name.text)) name.invalid('must be a valid CEL identifier');
  validation(place);
};
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/** Its key is told with the name of the policy before it. */
const auditAnnotation: Check = (place) => {
  const policy = place.up(3).field('metadata.name').text;
  const [key, value] = [place.field('key'), place.field('valueExpression')];
  const whole = policy === '' ? key.text : `${policy}/${key.text}`;
  key.invalidFor(labelKeyProblems(whole), whole);
  if (value.text.trim() === '') value.required('valueExpression is not specified');
};

const paramKind: Check = (place) => {
  const [version, kind] = [place.field('apiVersion'), place.field('kind')];
  const parts = version.text.split('/');
  if (version.text === '') version.required();
  else if (parts.length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
  else {
    const [group, name] = parts.length === 2 ? parts : ['', version.text];
    if (group !== '') version.invalidFor(subdomainProblems(group as string), group);
    version.invalidFor(label1035Problems(name as string), name);
  }
  if (kind.text === '') kind.required();
  else {
    for (const words of label1035Problems(kind.text.toLowerCase())) {
      kind.invalid(`may have mixed case, but should otherwise match: ${words}`);
    }
  }
};

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_BOTH =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

const actions: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    if (!ACTIONS.includes(one.text)) one.unsupported(ACTIONS);
    if (seen.has(one.text)) one.duplicate();
    seen.add(one.text);
  }
  if (seen.has('Deny') && seen.has('Warn')) place.invalid(NOT_BOTH);
};

const paramRef: Check = (place) => {
  const missing = place.field('parameterNotFoundAction');
  if (missing.isEmpty) missing.required();
  else if (!NOT_FOUND.includes(missing.text)) missing.unsupported(NOT_FOUND);
  const [name, selector] = [place.field('name'), place.field('selector')];
  if (name.isEmpty && selector.value === undefined) place.required('one of name or selector must be specified');
  if (name.isEmpty) return;
  name.invalidFor(pathSegmentProblems(name.text));
  if (selector.value === undefined) return;
  for (const one of [name, selector]) one.forbidden('name and selector are mutually exclusive');
};
const NOT_FOUND = ['Deny', 'Allow'];

export const admissionTypeRules: RuleTable = {
  'admissionregistration.v1.MutatingWebhookConfiguration': { webhooks },
  'admissionregistration.v1.ValidatingWebhookConfiguration': { webhooks },
  'admissionregistration.v1.MutatingWebhook': { ...webhook, reinvocationPolicy: among('IfNeeded', 'Never') },
  'admissionregistration.v1.ValidatingWebhook': webhook,
  'admissionregistration.v1.RuleWithOperations': rules,
  'admissionregistration.v1.NamedRuleWithOperations': { ...rules, resourceNames },
  'admissionregistration.v1.MatchCondition': { name: conditionName, expression },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    matchConstraints: required(),
    failurePolicy: among('Fail', 'Ignore'),
    matchConditions: conditions,
    '': policy,
  },
  'admissionregistration.v1.Variable': { '': variable },
  'admissionregistration.v1.AuditAnnotation': { '': auditAnnotation },
  'admissionregistration.v1.Validation': {
    reason: among('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
    '': validation,
  },
  'admissionregistration.v1.ParamKind': { '': paramKind },
  'admissionregistration.v1.MatchResources': { matchPolicy: among('Equivalent', 'Exact'), '': someRules },
  'admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': {
    policyName: [required(), subdomain],
    validationActions: [required('at least one validation action is required'), actions],
  },
  'admissionregistration.v1.ParamRef': { '': paramRef },
};

/** A policy says what it is for; a binding may say less. */
function someRules(place: Place): void {
  if (place.step === 'matchConstraints' && place.field('resourceRules').isEmpty)
    place.field('resourceRules').required();
}
