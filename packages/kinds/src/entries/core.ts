import { isJsonObject, type JsonObject, printTime } from '@tidegate/schema';
import type { KindRules } from '../kind-entry.ts';
import { withoutEphemeralContainers } from '../validation/create.ts';
import { configMap } from './configmap.ts';
import { textFields, valueAt } from './fields.ts';
import { namespace } from './namespace.ts';
import { keepOtherParts, validatePodParts } from './pod-parts.ts';
import { qualityOfService } from './quality-of-service.ts';
import { serviceClaims } from './service-claims.ts';

const eventFields = {
  ...textFields({
    'involvedObject.kind': '',
    'involvedObject.namespace': '',
    'involvedObject.name': '',
    'involvedObject.uid': '',
    'involvedObject.apiVersion': '',
    'involvedObject.resourceVersion': '',
    'involvedObject.fieldPath': '',
    reason: '',
    reportingComponent: '',
    type: '',
  }),
  source: (event: JsonObject) => String(valueAt(event, 'source.component') || event.reportingComponent || ''),
};

function firstPodIp(pod: JsonObject): string {
  const ips = valueAt(pod, 'status.podIPs');
  return Array.isArray(ips) ? String((ips[0] as JsonObject | undefined)?.ip ?? '') : '';
}

/** An update that says nothing of the address of a service leaves it as it is. */
function keepAddress(service: JsonObject, old: JsonObject): void {
  const [spec, before] = [service.spec, old.spec];
  if (!isJsonObject(spec) || !isJsonObject(before)) return;
  const isExternal = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (!isExternal && (!spec.clusterIP || (spec.clusterIP === before.clusterIP && spec.clusterIPs === undefined))) {
    for (const name of ['clusterIP', 'clusterIPs']) if (before[name] !== undefined) spec[name] = before[name];
  }
  listAddress(service);
}

/** The one address is also the first of all. */
function listAddress({ spec }: JsonObject): void {
  if (isJsonObject(spec) && spec.clusterIP && spec.clusterIPs === undefined) spec.clusterIPs = [spec.clusterIP];
}

export const coreRules: Readonly<Record<string, KindRules>> = {
  configmaps: configMap,
  namespaces: namespace,
  events: { name: 'path-segment', ownsNothing: true, lifetimeSeconds: 3600, selectableFields: eventFields },
  nodes: { createsWithStatus: true, selectableFields: textFields({ 'spec.unschedulable': 'false' }) },
  persistentvolumeclaims: {
    deleteReturnsObject: true,
    prepareCreate: (claim) => {
      claim.status = { phase: 'Pending' };
    },
  },
  persistentvolumes: {
    deleteReturnsObject: true,
    prepareCreate: (volume) => {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: printTime() };
    },
  },
  pods: {
    validateCreate: withoutEphemeralContainers,
    deleteReturnsObject: true,
    graceSeconds: graceOfPod,
    counts: ['spec'],
    selectableFields: {
      ...textFields({
        'spec.nodeName': '',
        'spec.restartPolicy': '',
        'spec.schedulerName': '',
        'spec.serviceAccountName': '',
        'spec.hostNetwork': 'false',
        'status.phase': '',
        'status.nominatedNodeName': '',
      }),
      'status.podIP': firstPodIp,
      'status.podIPs': firstPodIp,
    },
    prepareCreate: (pod) => {
      pod.status = { phase: 'Pending', qosClass: qualityOfService(pod) };
    },
    prepareUpdate: keepOtherParts,
    validateUpdate: validatePodParts,
  },
  componentstatuses: { deprecated: 'v1 ComponentStatus is deprecated in v1.19+' },
  endpoints: { deprecated: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' },
  podtemplates: { deleteReturnsObject: true, counts: ['template'] },
  replicationcontrollers: {
    counts: ['spec'],
    orphansByDefault: {},
    selectableFields: textFields({ 'status.replicas': '0' }),
  },
  resourcequotas: { deleteReturnsObject: true },
  secrets: { selectableFields: textFields({ type: '' }) },
  serviceaccounts: { deleteReturnsObject: true },
  services: {
    name: 'label-1035',
    claims: serviceClaims,
    companion: 'endpoints',
    prepareCreate: listAddress,
    prepareUpdate: keepAddress,
    deleteReturnsObject: true,
    selectableFields: textFields({ 'spec.clusterIP': '', 'spec.type': '' }),
  },
};

/** A pod that runs nowhere, or not any more, has nothing to end. */
function graceOfPod({ spec, status }: JsonObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds = 0 } = (spec ?? {}) as JsonObject;
  const { phase } = (status ?? {}) as JsonObject;
  if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  return asked ?? Number(terminationGracePeriodSeconds);
}
