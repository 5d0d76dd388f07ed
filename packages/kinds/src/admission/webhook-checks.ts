import { label1035Problems, labelKeyProblems, pathSegmentProblems, subdomainProblems } from '../objects/names.ts';
import { always, requiredOneOf, within } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, TypeRules } from '../rules/type-rules.ts';
import { readCondition } from './conditions.ts';

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

/** A client configuration has either a URL or a service, and the URL is https. */
const clientConfig: Check = always(checkClientConfig);

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

/** Each segment of the path must be a DNS subdomain. */
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
    else for (const problem of subdomainProblems(part)) path.invalid(`segment[${index}]: ${problem}`);
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

export const resourceNames: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    one.invalidFor(pathSegmentProblems(one.text));
    if (seen.has(one.text)) one.duplicate();
    seen.add(one.text);
  }
};

export const conditionName: Check = always((place) => {
  if (place.text === '') place.required();
  else place.invalidFor(labelKeyProblems(place.text));
});

export const conditions: Check = (place) => {
  place.atMost(MAX_CONDITIONS);
  const seen = new Set<string>();
  for (const one of place.items()) {
    const name = one.field('name');
    if (name.text !== '' && seen.has(name.text)) name.duplicate();
    seen.add(name.text);
  }
};
const MAX_CONDITIONS = 64;

export const expression: Check = always((place) => {
  if (place.text.trim() === '') {
    place.required();
    return;
  }
  // the variables of a policy's conditions depend on the policy
  if (place.up(3).step === 'spec') return;
  const read = readCondition(place.text);
  if ('problem' in read) place.invalid(read.problem);
});

export const webhookChecks: TypeRules = {
  name: threeSegments,
  admissionReviewVersions: reviewVersions,
  sideEffects,
  clientConfig,
  failurePolicy: requiredOneOf('Fail', 'Ignore'),
  matchPolicy: requiredOneOf('Equivalent', 'Exact'),
  timeoutSeconds: within(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  matchConditions: conditions,
};

export const ruleChecks: TypeRules = { scope: requiredOneOf('*', 'Cluster', 'Namespaced'), '': rule };
