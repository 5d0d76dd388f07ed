import { label1035Problems, pathSegmentProblems, subdomainProblems } from '../rules/names.ts';
import { evenEmpty, required, sameValue, within } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable } from './rules.ts';
import { selects } from './selectors.ts';

const RBAC = 'rbac.authorization.k8s.io';

const policyRule: Check = (rule) => {
  const verbs = rule.field('verbs');
  if (verbs.isEmpty) verbs.required('verbs must contain at least one value');
  const paths = rule.field('nonResourceURLs');
  if (!paths.isEmpty) {
    if (rule.up(2).has('metadata') && rule.up(2).object.kind === 'Role') {
      paths.invalid('namespaced rules cannot apply to non-resource URLs');
    }
    if (['apiGroups', 'resources', 'resourceNames'].some((name) => !rule.field(name).isEmpty)) {
      paths.invalid('rules cannot apply to both regular resources and non-resource URLs');
    }
    return;
  }
  const groups = rule.field('apiGroups');
  if (groups.isEmpty) groups.required('resource rules must supply at least one api group');
  const resources = rule.field('resources');
  if (resources.isEmpty) resources.required('resource rules must supply at least one resource');
};

const roleRef: Check = (place) => {
  const ofCluster = place.up(1).object.kind === 'ClusterRoleBinding';
  const group = place.field('apiGroup');
  if (group.text !== RBAC) group.unsupported([RBAC]);
  const kinds = ofCluster ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  const kind = place.field('kind');
  if (!kinds.includes(kind.text)) kind.unsupported(kinds);
  const name = place.field('name');
  if (name.text === '') name.required();
  else name.invalidFor(pathSegmentProblems(name.text));
};

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

const subject: Check = (place) => {
  const name = place.field('name');
  const kind = place.field('kind');
  const group = place.field('apiGroup');
  if (name.text === '') name.required();
  if (kind.text === 'ServiceAccount') {
    if (name.text !== '') name.invalidFor(subdomainProblems(name.text));
    if (!group.isEmpty) group.unsupported(['']);
    const ofCluster = place.up(2).object.kind === 'ClusterRoleBinding';
    if (ofCluster && place.field('namespace').isEmpty) place.field('namespace').required();
  } else if (!SUBJECTS.includes(kind.text)) kind.unsupported(SUBJECTS);
  else if (group.text !== RBAC) group.unsupported([RBAC]);
};

const aggregation: Check = (place) => {
  for (const selector of place.field('clusterRoleSelectors').items()) {
    if (selects(selector.object, {}) === undefined) selector.invalid('invalid label selector.', null);
  }
  const selectors = place.field('clusterRoleSelectors');
  if (selectors.isEmpty) selectors.required('at least one clusterRoleSelector required if aggregationRule is non-nil');
};

export function roleRefUpdate(now: Place, old: Place): void {
  if (sameValue(now.value, old.value)) return;
  const { apiGroup, kind, name } = now.object as Readonly<Record<string, string>>;
  now.invalid('cannot change roleRef', { APIGroup: apiGroup, Kind: kind, Name: name });
}

const PEM = 'PEM block type must be CERTIFICATE REQUEST';

const request: Check = (place) => {
  const text = Buffer.from(place.text, 'base64').toString('latin1');
  if (!/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/.test(text)) place.invalid(PEM);
};

const SIGNER = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

const signer: Check = (place) => {
  const [domain = '', ...path] = place.text.split('/');
  if (path.length === 0 || domain === '') place.invalid(SIGNER);
  else if (!domain.includes('.')) place.invalid('should be a domain with at least two segments separated by dots');
};

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const usages: Check = (place) => {
  const seen = new Set<string>();
  for (const usage of place.items()) {
    if (!USAGES.includes(usage.text)) usage.unsupported(USAGES);
    if (seen.has(usage.text)) usage.duplicate();
    seen.add(usage.text);
  }
};

const notTooShort: Check = (place) => {
  if (Number(place.value) < 600) place.invalid('may not specify a duration less than 600 seconds (10 minutes)');
};

const always = (check: Check): Check => Object.assign((place: Place) => check(place), { always: true });

export const accessRules: RuleTable = {
  'rbac.v1.PolicyRule': { '': policyRule },
  'rbac.v1.RoleRef': { '': roleRef },
  'rbac.v1.Subject': { '': subject },
  'rbac.v1.AggregationRule': { '': aggregation },
  'certificates.v1.CertificateSigningRequestSpec': {
    request: always(request),
    signerName: [required(), signer],
    usages: [required(), usages],
    expirationSeconds: notTooShort,
  },
  'apiregistration.v1.APIServiceSpec': {
    groupPriorityMinimum: priority(20000),
    versionPriority: priority(1000),
    version: evenEmpty(label1035Problems),
    group: (place) => {
      if (place.text !== '') place.invalidFor(subdomainProblems(place.text));
    },
  },
  'apiregistration.v1.ServiceReference': {
    namespace: required(),
    name: required(),
    port: within(1, 65535, 'port is not valid: must be between 1 and 65535, inclusive'),
  },
};

function priority(most: number): Check {
  return always((place) => {
    const value = Number(place.value ?? 0);
    if (value <= 0 || value > most) place.invalid(`must be positive and less than ${most}`, value);
  });
}
