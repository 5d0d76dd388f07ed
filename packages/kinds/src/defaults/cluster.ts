import { below, belowEach, type DefaultRules, defaulter, IfAbsent, NotZero } from './default-rules.ts';
import type { SetDefaults } from './template.ts';

const RBAC = 'rbac.authorization.k8s.io';

const binding = defaulter({
  'roleRef.apiGroup': ({ apiGroup }) => apiGroup || RBAC,
  'subjects[].apiGroup': ({ kind }) => (kind === 'User' || kind === 'Group' ? RBAC : undefined),
});

const webhook: DefaultRules = {
  failurePolicy: new IfAbsent('Fail'),
  matchPolicy: new IfAbsent('Equivalent'),
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
  'rules[].scope': new IfAbsent('*'),
  'clientConfig.service.port': 443,
};

const matching: DefaultRules = {
  matchPolicy: new IfAbsent('Equivalent'),
  namespaceSelector: {},
  objectSelector: {},
  'resourceRules[].scope': new IfAbsent('*'),
  'excludeResourceRules[].scope': new IfAbsent('*'),
};

const device: DefaultRules = {
  allocationMode: 'ExactCount',
  count: new NotZero(({ allocationMode }) => (allocationMode === 'ExactCount' ? 1 : undefined)),
};
const devices: DefaultRules = belowEach(['devices.requests[].exactly', 'devices.requests[].firstAvailable[]'], device);

/** Everything beside workloads and the core group. */
export const clusterDefaults: Readonly<Record<string, SetDefaults>> = {
  [`rolebindings.${RBAC}`]: binding,
  [`clusterrolebindings.${RBAC}`]: binding,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': defaulter(
    below('webhooks[]', { ...webhook, reinvocationPolicy: new IfAbsent('Never') }),
  ),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': defaulter(below('webhooks[]', webhook)),
  'validatingadmissionpolicies.admissionregistration.k8s.io': defaulter({
    'spec.failurePolicy': new IfAbsent('Fail'),
    ...below('spec.matchConstraints', matching),
  }),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': defaulter(below('spec.matchResources', matching)),
  'customresourcedefinitions.apiextensions.k8s.io': defaulter({
    'spec.names.singular': ({ kind }) => String(kind ?? '').toLowerCase(),
    'spec.names.listKind': ({ kind }) => `${String(kind ?? '')}List`,
    'spec.conversion': { strategy: 'None' },
    'spec.conversion.webhook.clientConfig.service.port': 443,
  }),
  'apiservices.apiregistration.k8s.io': defaulter({ 'spec.service.port': 443 }),
  'flowschemas.flowcontrol.apiserver.k8s.io': defaulter({ 'spec.matchingPrecedence': new NotZero(1000) }),
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': defaulter({
    'spec.limited.nominalConcurrencyShares': 30,
    'spec.limited.lendablePercent': 0,
    'spec.limited.limitResponse.queuing.queues': new NotZero(64),
    'spec.limited.limitResponse.queuing.handSize': new NotZero(8),
    'spec.limited.limitResponse.queuing.queueLengthLimit': new NotZero(50),
    'spec.exempt.nominalConcurrencyShares': 0,
    'spec.exempt.lendablePercent': 0,
  }),
  'priorityclasses.scheduling.k8s.io': defaulter({ preemptionPolicy: new IfAbsent('PreemptLowerPriority') }),
  'networkpolicies.networking.k8s.io': defaulter({
    ...belowEach(['spec.ingress[].ports[]', 'spec.egress[].ports[]'], { protocol: new IfAbsent('TCP') }),
    'spec.policyTypes': ({ egress }) =>
      Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'],
  }),
  'ingressclasses.networking.k8s.io': defaulter({ 'spec.parameters.scope': new IfAbsent('Cluster') }),
  'endpointslices.discovery.k8s.io': defaulter({ 'ports[].name': '', 'ports[].protocol': new IfAbsent('TCP') }),
  'storageclasses.storage.k8s.io': defaulter({
    reclaimPolicy: new IfAbsent('Delete'),
    volumeBindingMode: new IfAbsent('Immediate'),
  }),
  'csidrivers.storage.k8s.io': defaulter({
    'spec.attachRequired': true,
    'spec.podInfoOnMount': false,
    'spec.storageCapacity': false,
    'spec.fsGroupPolicy': new IfAbsent('ReadWriteOnceWithFSType'),
    'spec.volumeLifecycleModes': ['Persistent'],
    'spec.requiresRepublish': false,
    'spec.seLinuxMount': false,
  }),
  'resourceclaims.resource.k8s.io': defaulter(below('spec', devices)),
  'resourceclaimtemplates.resource.k8s.io': defaulter(below('spec.spec', devices)),
};
