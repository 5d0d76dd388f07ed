import { label1035Problems, labelKeyProblems, pathSegmentProblems, subdomainProblems } from '../objects/names.ts';
import { required, requiredOneOf, subdomain, uniqueBy } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';
import { readPolicy } from './policy.ts';
import { conditionName, conditions, expression, resourceNames, ruleChecks, webhookChecks } from './webhook-checks.ts';

/** The limits of one policy: every gateway compiles its expressions, and each expression can use all variables. */
export const POLICY_LIMITS = {
  variables: 200,
  validations: 1000,
  /** as in Kubernetes */
  auditAnnotations: 20,
  /** characters of all its expressions */
  expressions: 256 << 10,
} as const;

const EXPRESSIONS = {
  variables: ['expression'],
  validations: ['expression', 'messageExpression'],
  auditAnnotations: ['valueExpression'],
  matchConditions: ['expression'],
} as const;

/** Whether a policy exceeds a limit; adds an error for it. */
function exceedsPolicyLimits(spec: Place): boolean {
  const before = spec.errorCount;
  for (const list of ['variables', 'validations', 'auditAnnotations'] as const) {
    spec.field(list).atMost(POLICY_LIMITS[list]);
  }
  let characters = 0;
  for (const [list, fields] of Object.entries(EXPRESSIONS)) {
    for (const one of spec.field(list).items()) for (const field of fields) characters += one.field(field).text.length;
  }
  if (characters > POLICY_LIMITS.expressions) {
    const most = `all expressions together must have at most ${POLICY_LIMITS.expressions} characters`;
    spec.forbidden(most);
  }
  return spec.errorCount > before;
}

const policy: Check = (spec) => {
  if (exceedsPolicyLimits(spec)) return;
  for (const { list, index, field, detail } of readPolicy(spec.object).problems) {
    spec.field(list).item(index).field(field).invalid(detail);
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

/** The audit key is the name of the policy and this key. */
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
    for (const problem of label1035Problems(kind.text.toLowerCase())) {
      kind.invalid(`may have mixed case, but should otherwise match: ${problem}`);
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

export const admissionChecks: RuleTable = {
  'admissionregistration.v1.MutatingWebhookConfiguration': { webhooks: [conditionsWithinLimit, uniqueBy('name')] },
  'admissionregistration.v1.ValidatingWebhookConfiguration': { webhooks: [conditionsWithinLimit, uniqueBy('name')] },
  'admissionregistration.v1.MutatingWebhook': {
    ...webhookChecks,
    reinvocationPolicy: requiredOneOf('IfNeeded', 'Never'),
  },
  'admissionregistration.v1.ValidatingWebhook': webhookChecks,
  'admissionregistration.v1.RuleWithOperations': ruleChecks,
  'admissionregistration.v1.NamedRuleWithOperations': { ...ruleChecks, resourceNames },
  'admissionregistration.v1.MatchCondition': { name: conditionName, expression },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    matchConstraints: required(),
    failurePolicy: requiredOneOf('Fail', 'Ignore'),
    matchConditions: conditions,
    '': policy,
  },
  'admissionregistration.v1.Variable': { '': variable },
  'admissionregistration.v1.AuditAnnotation': { '': auditAnnotation },
  'admissionregistration.v1.Validation': {
    reason: requiredOneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
    '': validation,
  },
  'admissionregistration.v1.ParamKind': { '': paramKind },
  'admissionregistration.v1.MatchResources': {
    matchPolicy: requiredOneOf('Equivalent', 'Exact'),
    '': requiredResourceRules,
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': {
    policyName: [required(), subdomain],
    validationActions: [required('at least one validation action is required'), actions],
  },
  'admissionregistration.v1.ParamRef': { '': paramRef },
};

/** Every gateway compiles the expressions of a configuration. Expressions over the limit are not parsed. */
function conditionsWithinLimit(webhooks: Place): boolean {
  let characters = 0;
  for (const one of webhooks.items()) {
    for (const condition of one.field('matchConditions').items())
      characters += condition.field('expression').text.length;
  }
  if (characters <= POLICY_LIMITS.expressions) return true;
  webhooks.forbidden(`all matchConditions together must have at most ${POLICY_LIMITS.expressions} characters`);
  return false;
}

/** A policy must have resource rules; a binding may have none. */
function requiredResourceRules(place: Place): void {
  if (place.step === 'matchConstraints' && place.field('resourceRules').isEmpty)
    place.field('resourceRules').required();
}
