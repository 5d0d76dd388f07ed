import { subdomainProblems } from '../rules/names.ts';
import { always, oneOf, required, subdomain, uniqueBy, within } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable, TypeRules } from './rules.ts';

const REVIEWS = ['v1', 'v1beta1'];

const reviewVersions = always((place) => {
  if (place.isEmpty) place.required(`must specify one of ${REVIEWS.join(', ')}`);
  else if (!place.list.some((version) => REVIEWS.includes(String(version)))) {
    place.invalid(`must include at least one of ${REVIEWS.join(', ')}`);
  }
});

const sideEffects = always((place) => {
  if (place.isEmpty) place.required('must specify one of None, NoneOnDryRun');
  else if (!EFFECTS.includes(place.text)) place.unsupported(EFFECTS);
});
const EFFECTS = ['None', 'NoneOnDryRun'];

const threeSegments: Check = (place) => {
  const problems = subdomainProblems(place.text);
  if (problems.length > 0) place.invalidFor(problems);
  else if (place.text.split('.').length < 3) {
    place.invalid('should be a domain with at least three segments separated by dots');
  }
};

const URL_FORM = 'desired format: https://host[/path]';

/** One way to reach it, and that a safe one. */
export const clientConfig: Check = always((place) => {
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
    if (parsed.username !== '') url.invalid('user information is not permitted in the URL', parsed.username);
    if (parsed.hash !== '') url.invalid('fragments are not permitted in the URL', parsed.hash.slice(1));
    if (parsed.search !== '') url.invalid('query parameters are not permitted in the URL', parsed.search.slice(1));
  }
});

function webhookService(service: Place): void {
  for (const name of ['name', 'namespace']) {
    const field = service.field(name);
    if (field.isEmpty) field.required(`service ${name} is required`);
  }
  const port = service.field('port');
  if (port.value !== undefined) within(1, 65535, 'port is not valid: must be between 1 and 65535, inclusive')(port);
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
  const resources = place.field('resources');
  if (resources.isEmpty) resources.required();
};

const expression: Check = always((place) => {
  if (place.text.trim() === '') place.required();
});

const webhook: TypeRules = {
  name: threeSegments,
  admissionReviewVersions: reviewVersions,
  sideEffects,
  clientConfig,
  failurePolicy: oneOf('Fail', 'Ignore'),
  matchPolicy: oneOf('Equivalent', 'Exact'),
  timeoutSeconds: within(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  matchConditions: uniqueBy('name'),
};

const rules: TypeRules = { scope: oneOf('*', 'Cluster', 'Namespaced'), '': rule };

const policy: Check = (spec) => {
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
  if (!place.field('name').isEmpty && place.has('selector')) {
    place.field('name').forbidden('name and selector are mutually exclusive');
  }
};
const NOT_FOUND = ['Deny', 'Allow'];

export const admissionTypeRules: RuleTable = {
  'admissionregistration.v1.MutatingWebhookConfiguration': { webhooks: uniqueBy('name') },
  'admissionregistration.v1.ValidatingWebhookConfiguration': { webhooks: uniqueBy('name') },
  'admissionregistration.v1.MutatingWebhook': { ...webhook, reinvocationPolicy: oneOf('IfNeeded', 'Never') },
  'admissionregistration.v1.ValidatingWebhook': webhook,
  'admissionregistration.v1.RuleWithOperations': rules,
  'admissionregistration.v1.NamedRuleWithOperations': rules,
  'admissionregistration.v1.MatchCondition': { name: required(), expression },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    matchConstraints: required(),
    failurePolicy: oneOf('Fail', 'Ignore'),
    '': policy,
  },
  'admissionregistration.v1.Validation': {
    reason: oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
    '': validation,
  },
  'admissionregistration.v1.ParamKind': { apiVersion: required(), kind: required() },
  'admissionregistration.v1.MatchResources': { '': someRules },
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
