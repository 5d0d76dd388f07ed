import { pathSegmentProblems, subdomainProblems } from '../objects/names.ts';
import { always, required, sameValue } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import { selects } from '../rules/selectors.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';
import { minimumDuration, request, signer, usages } from './signing-requests.ts';

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

export const accessChecks: RuleTable = {
  'rbac.v1.PolicyRule': { '': policyRule },
  'rbac.v1.RoleRef': { '': roleRef },
  'rbac.v1.Subject': { '': subject },
  'rbac.v1.AggregationRule': { '': aggregation },
  'certificates.v1.CertificateSigningRequestSpec': {
    request: always(request),
    signerName: [required(), signer],
    usages: [required(), usages],
    expirationSeconds: minimumDuration,
  },
};
