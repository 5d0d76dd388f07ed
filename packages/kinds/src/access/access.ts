import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { defaulter, type SetDefaults } from '../rules/default-rules.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { columns } from './columns.ts';
import { signingRequest } from './signing-requests.ts';
import { accessChecks, roleRefUpdate } from './validation.ts';

const RBAC = 'rbac.authorization.k8s.io';

const bindingDefaults = defaulter({
  'roleRef.apiGroup': ({ apiGroup }) => apiGroup || RBAC,
  'subjects[].apiGroup': ({ kind }) => (kind === 'User' || kind === 'Group' ? RBAC : undefined),
});

const bindingUpdates = { roleRef: roleRefUpdate };

const defaults: ByResource<SetDefaults> = {
  'rolebindings.rbac.authorization.k8s.io': bindingDefaults,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingDefaults,
};

const rules: ByResource<KindRules> = {
  'clusterroles.rbac.authorization.k8s.io': { name: 'path-segment', createsOnUpdate: true },
  'clusterrolebindings.rbac.authorization.k8s.io': { name: 'path-segment', createsOnUpdate: true },
  'roles.rbac.authorization.k8s.io': { name: 'path-segment', createsOnUpdate: true },
  'rolebindings.rbac.authorization.k8s.io': { name: 'path-segment', createsOnUpdate: true },
  'certificatesigningrequests.certificates.k8s.io': signingRequest,
};

const updates: ByResource<UpdateChecks> = {
  'rolebindings.rbac.authorization.k8s.io': bindingUpdates,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingUpdates,
};

export const access: Family = { rules, defaults, columns, updates, types: accessChecks };
