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
  column('Role', 'The role that is given', (binding) => {
    return `${textAt(binding, 'roleRef.kind')}/${textAt(binding, 'roleRef.name')}`;
  }),
  ageColumn,
  wide('Users', 'Users who get it', subjects('User')),
  wide('Groups', 'Groups that get it', subjects('Group')),
  wide('ServiceAccounts', 'Service accounts that get it', subjects('ServiceAccount')),
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
    column('SignerName', 'Who is to sign', cellAt('spec.signerName', NONE)),
    column('Requestor', 'Who asks', cellAt('spec.username')),
    column('RequestedDuration', 'How long the certificate should hold', (request) => {
      const seconds = valueAt(request, 'spec.expirationSeconds');
      return typeof seconds === 'number' ? shortDuration(seconds) : NONE;
    }),
    column('Condition', 'How far the request is', requestState),
  ],
};
