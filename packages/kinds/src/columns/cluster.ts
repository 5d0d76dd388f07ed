import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../entries/fields.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, countAt, flagCell, listAt, NONE, numberCell, selectorText, textAt } from './cells.ts';
import { ageColumn, boolean, column, integer, nameColumn, shortDuration, wide } from './shared.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const FLOW = 'flowcontrol.apiserver.k8s.io';

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

const webhookColumns: readonly Column[] = [
  nameColumn,
  integer('Webhooks', 'Number of webhooks', (object) => countAt(object, 'webhooks')),
  ageColumn,
];

function requestState(request: JsonObject): string {
  const types = new Set(listAt(request, 'status.conditions').map(({ type }) => type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${textAt(request, 'status.certificate') === '' ? '' : ',Issued'}`;
}

function paramRef(binding: JsonObject): string {
  const name = textAt(binding, 'spec.paramRef.name');
  if (name !== '') return `${textAt(binding, 'spec.paramRef.namespace', '*')}/${name}`;
  const selector = valueAt(binding, 'spec.paramRef.selector');
  return selector === undefined ? '<unset>' : selectorText(selector);
}

function serviceOf(apiService: JsonObject): string {
  const name = textAt(apiService, 'spec.service.name');
  return name === '' ? 'Local' : `${textAt(apiService, 'spec.service.namespace')}/${name}`;
}

function availability(apiService: JsonObject): string {
  const found = listAt(apiService, 'status.conditions').find(({ type }) => type === 'Available');
  if (found === undefined) return 'Unknown';
  return found.status === 'True' ? 'True' : `${String(found.status)} (${String(found.reason)})`;
}

function limited(field: string): (level: JsonObject) => string | number {
  return (level) => (valueAt(level, `spec.limited.${field}`) ?? NONE) as string | number;
}

/** Everything beside workloads, networks, storage and the core group. */
export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  [`rolebindings.${RBAC}`]: bindingColumns,
  [`clusterrolebindings.${RBAC}`]: bindingColumns,
  [`mutatingwebhookconfigurations.${ADMISSION}`]: webhookColumns,
  [`validatingwebhookconfigurations.${ADMISSION}`]: webhookColumns,
  [`validatingadmissionpolicies.${ADMISSION}`]: [
    nameColumn,
    integer('Validations', 'Number of conditions', (policy) => countAt(policy, 'spec.validations')),
    column('ParamKind', 'What sort of object has its settings', (policy) => {
      const kind = textAt(policy, 'spec.paramKind.kind');
      return kind === '' ? '<unset>' : `${textAt(policy, 'spec.paramKind.apiVersion')}/${kind}`;
    }),
    ageColumn,
  ],
  [`validatingadmissionpolicybindings.${ADMISSION}`]: [
    nameColumn,
    column('PolicyName', 'The policy', cellAt('spec.policyName')),
    column('ParamRef', 'Where its settings are', paramRef),
    ageColumn,
  ],
  'apiservices.apiregistration.k8s.io': [
    nameColumn,
    column('Service', 'Who serves the group', serviceOf),
    column('Available', 'Whether it can be reached', availability),
    ageColumn,
  ],
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
  [`flowschemas.${FLOW}`]: [
    nameColumn,
    column('PriorityLevel', 'Where such requests queue', cellAt('spec.priorityLevelConfiguration.name')),
    column('MatchingPrecedence', 'The lowest that matches is chosen', numberCell('spec.matchingPrecedence')),
    column('DistinguisherMethod', 'How requests are told apart', cellAt('spec.distinguisherMethod.type', NONE)),
    ageColumn,
    column('MissingPL', 'Whether its priority level is not there', (schema) => {
      const found = listAt(schema, 'status.conditions').find(({ type }) => type === 'Dangling');
      return found === undefined ? '?' : String(found.status);
    }),
  ],
  [`prioritylevelconfigurations.${FLOW}`]: [
    nameColumn,
    column('Type', 'Whether it is limited', cellAt('spec.type')),
    column('NominalConcurrencyShares', 'Its share of what is served at once', limited('nominalConcurrencyShares')),
    column('Queues', 'Number of queues', limited('limitResponse.queuing.queues')),
    column('HandSize', 'Queues that one flow may be put into', limited('limitResponse.queuing.handSize')),
    column('QueueLengthLimit', 'Requests that may wait in one', limited('limitResponse.queuing.queueLengthLimit')),
    ageColumn,
  ],
  'leases.coordination.k8s.io': [
    nameColumn,
    column('Holder', 'Who holds it', cellAt('spec.holderIdentity')),
    ageColumn,
  ],
  'priorityclasses.scheduling.k8s.io': [
    nameColumn,
    integer('Value', 'The higher, the sooner', numberCell('value')),
    boolean('Global-Default', 'Whether pods that name none get it', flagCell('globalDefault')),
    ageColumn,
    column('PreemptionPolicy', 'Whether others have to go for it', cellAt('preemptionPolicy')),
  ],
  'runtimeclasses.node.k8s.io': [
    nameColumn,
    column('Handler', 'What runs the containers', cellAt('handler')),
    ageColumn,
  ],
};
