import type { JsonObject } from '@tidegate/schema';
import { checkDefinitionUpdate } from '../custom/definition-rules.ts';
import { roleRefUpdate } from './access.ts';
import { onlyStatefulFields } from './apps.ts';
import { jobUpdate } from './batch.ts';
import { sameValue, unchanged } from './checks.ts';
import { nodeUpdate, secretUpdate } from './cluster.ts';
import { checkSeries } from './create.ts';
import { quotaUpdate } from './limits.ts';
import { cidrsUpdate } from './network.ts';
import { claimUpdate, volumeUpdate } from './persistent-volumes.ts';
import type { Place } from './place.ts';
import { podUpdate } from './pods/updates.ts';
import { fixedValue } from './scaling.ts';
import { serviceUpdate } from './services.ts';
import { forbiddenChange } from './storage.ts';

/** Looks at a field beside what was there. */
type UpdateCheck = (place: Place, old: Place) => void;

const binding = { roleRef: roleRefUpdate };

/** It had another name once. */
const attachRequired: UpdateCheck = (spec, old) =>
  unchanged(spec.as('attachedRequired', spec.object.attachRequired), old.field('attachRequired'));

const nodeDrivers: UpdateCheck = (drivers, old) => {
  const known = new Map(
    old
      .items()
      .toReversed()
      .map((one) => [one.object.name, one]),
  );
  for (const driver of drivers.items()) {
    const before = known.get(driver.object.name);
    if (before !== undefined && !sameValue(withoutAmount(before.object), withoutAmount(driver.object))) {
      drivers.invalid('field is immutable', driver.value);
    }
  }
};

/** How much fits on a node may change. */
function withoutAmount({ allocatable: _amount, ...driver }: JsonObject): JsonObject {
  return driver;
}

/** An event in events.k8s.io only goes on being repeated. */
const EVENT_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingInstance',
];

const repeated: UpdateCheck = (event, old) => {
  unchanged(event.as('reportingController', event.object.reportingComponent), old.field('reportingComponent'));
  checkSeries(event);
};

/** What an update may not change, by resource and path; the empty path is the whole object. */
export const updateRules: Readonly<Record<string, Readonly<Record<string, UpdateCheck>>>> = {
  pods: { '': podUpdate },
  'customresourcedefinitions.apiextensions.k8s.io': { '': checkDefinitionUpdate },
  services: { '': serviceUpdate },
  secrets: { '': secretUpdate },
  nodes: { '': nodeUpdate },
  resourcequotas: { '': quotaUpdate },
  persistentvolumes: { '': volumeUpdate },
  persistentvolumeclaims: { '': claimUpdate },
  'deployments.apps': { 'spec.selector': unchanged },
  'replicasets.apps': { 'spec.selector': unchanged },
  'daemonsets.apps': { 'spec.selector': unchanged },
  'statefulsets.apps': { '': onlyStatefulFields },
  'controllerrevisions.apps': { data: unchanged },
  'jobs.batch': { '': jobUpdate },
  'events.events.k8s.io': {
    '': repeated,
    ...Object.fromEntries(EVENT_FIELDS.map((name) => [name, unchanged])),
  },
  'ingressclasses.networking.k8s.io': { 'spec.controller': unchanged },
  'servicecidrs.networking.k8s.io': { 'spec.cidrs': cidrsUpdate },
  'endpointslices.discovery.k8s.io': { addressType: unchanged },
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'priorityclasses.scheduling.k8s.io': { value: fixedValue, preemptionPolicy: unchanged },
  'storageclasses.storage.k8s.io': {
    parameters: forbiddenChange,
    provisioner: forbiddenChange,
    reclaimPolicy: forbiddenChange,
    volumeBindingMode: unchanged,
  },
  'csidrivers.storage.k8s.io': { spec: attachRequired, 'spec.volumeLifecycleModes': unchanged },
  'csinodes.storage.k8s.io': { 'spec.drivers': nodeDrivers },
  'csistoragecapacities.storage.k8s.io': { storageClassName: unchanged, nodeTopology: unchanged },
  'volumeattachments.storage.k8s.io': { spec: unchanged },
  'volumeattributesclasses.storage.k8s.io': { driverName: forbiddenChange, parameters: forbiddenChange },
  'runtimeclasses.node.k8s.io': { handler: unchanged },
  'resourceclaims.resource.k8s.io': { spec: unchanged },
  'resourceclaimtemplates.resource.k8s.io': { spec: unchanged },
  'ipaddresses.networking.k8s.io': { 'spec.parentRef': unchanged },
  'resourceslices.resource.k8s.io': {
    'spec.driver': unchanged,
    'spec.nodeName': unchanged,
    'spec.pool.name': unchanged,
  },
};
