import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, listAt, NONE, textAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn, shortDuration, wide } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

function subjects(kind: string): (binding: JsonObject) => string {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => subject.kind === kind)
      .map(({ namespace, name }) =>
        kind === 'ServiceAccount' ? `${String(namespace ?? '')}/${String(name)}` : String(name),
      )
      .join(', ');
}

const bindingColumns: readonly Column[] = [
  nameColumn,
  column('Role', 'Granted role', (binding) => {
    return `${textAt(binding, 'roleRef.kind')}/${textAt(binding, 'roleRef.name')}`;
  }),
  ageColumn,
  wide('Users', 'Users with the role', subjects('User')),
  wide('Groups', 'Groups with the role', subjects('Group')),
  wide('ServiceAccounts', 'Service accounts with the role', subjects('ServiceAccount')),
];

function requestState(request: JsonObject): string {
  const types = new Set(listAt(request, 'status.conditions').map(({ type }) => type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${textAt(request, 'status.certificate') === '' ? '' : ',Issued'}`;
}

export const columns: ByResource<readonly Column[]> = {
  'rolebindings.rbac.authorization.k8s.io': bindingColumns,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingColumns,
  'certificatesigningrequests.certificates.k8s.io': [
    nameColumn,
    ageColumn,
    column('SignerName', 'Name of the requested signer', cellAt('spec.signerName', NONE)),
    column('Requestor', 'User of the request', cellAt('spec.username')),
    column('RequestedDuration', 'Requested lifetime of the certificate', (request) => {
      const seconds = valueAt(request, 'spec.expirationSeconds');
      return typeof seconds === 'number' ? shortDuration(seconds) : NONE;
    }),
    column('Condition', 'State of the request', requestState),
  ],
};
