import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../entries/fields.ts';
import type { Column } from '../kind-entry.ts';
import {
  cellAt,
  countAt,
  firstOf,
  flagAt,
  hasCondition,
  labelsText,
  listAt,
  NONE,
  numberAt,
  textAt,
  textsAt,
} from './cells.ts';
import { podColumns } from './pod.ts';
import { serviceColumns } from './service.ts';
import { ageColumn, ageOf, column, nameColumn, wide } from './shared.ts';
import { containers, images, replicaColumns } from './workloads.ts';

const ROLE_LABEL = 'node-role.kubernetes.io/';

function nodeRoles(node: JsonObject): string {
  const labels = (valueAt(node, 'metadata.labels') ?? {}) as JsonObject;
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_LABEL) && key !== ROLE_LABEL) return [key.slice(ROLE_LABEL.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [String(value)] : [];
  });
  return roles.length === 0 ? NONE : [...new Set(roles)].sort().join(',');
}

function nodeStatus(node: JsonObject): string {
  const ready = listAt(node, 'status.conditions').find(({ type }) => type === 'Ready');
  const status = ready === undefined ? 'Unknown' : hasCondition(node, 'Ready') ? 'Ready' : 'NotReady';
  return flagAt(node, 'spec.unschedulable') ? `${status},SchedulingDisabled` : status;
}

function nodeAddress(type: string): (node: JsonObject) => string {
  return (node) => {
    const found = listAt(node, 'status.addresses').find((address) => address.type === type);
    return found === undefined ? NONE : textAt(found, 'address', NONE);
  };
}

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: JsonObject, path: string): string {
  const has = new Set(textsAt(object, path));
  return Object.keys(SHORT_MODES)
    .filter((mode) => has.has(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',');
}

/** Of what is being deleted: nothing else counts. */
function phase(object: JsonObject): string {
  return valueAt(object, 'metadata.deletionTimestamp') === undefined ? textAt(object, 'status.phase') : 'Terminating';
}

function quotaUse(quota: JsonObject, limits: boolean): string {
  const hard = (valueAt(quota, 'status.hard') ?? {}) as JsonObject;
  const used = (valueAt(quota, 'status.used') ?? {}) as JsonObject;
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith('limits') === limits)
    .map((name) => `${name}: ${String(used[name] ?? '0')}/${String(hard[name])}`)
    .join(', ');
}

function endpointsText(endpoints: JsonObject): string {
  const all = listAt(endpoints, 'subsets').flatMap((subset) => {
    const ips = listAt(subset, 'addresses').map(({ ip }) => String(ip));
    const ports = listAt(subset, 'ports').map(({ port }) => String(port));
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`));
  });
  return countAt(endpoints, 'subsets') === 0 ? NONE : firstOf(all, 3).replace(NONE, '');
}

function firstSeen(event: JsonObject): string {
  return ageOf(textAt(event, 'firstTimestamp') || textAt(event, 'eventTime') || undefined);
}

const eventColumns: readonly Column[] = [
  column('Last Seen', 'How long ago this happened last', (event) => {
    const last = textAt(event, 'series.lastObservedTime') || textAt(event, 'lastTimestamp');
    return last === '' ? firstSeen(event) : ageOf(last);
  }),
  column('Type', 'Whether it is as usual or a warning', cellAt('type')),
  column('Reason', 'Why it was written down, in one word', cellAt('reason')),
  column('Object', 'What it is about', (event) => {
    const kind = textAt(event, 'involvedObject.kind').toLowerCase();
    const name = textAt(event, 'involvedObject.name');
    return name === '' ? kind : `${kind}/${name}`;
  }),
  wide('Subobject', 'Which part of the object it is about', cellAt('involvedObject.fieldPath')),
  wide('Source', 'Who wrote it', (event) => {
    const component = textAt(event, 'source.component') || textAt(event, 'reportingComponent');
    const host = textAt(event, 'source.host') || textAt(event, 'reportingInstance');
    return host === '' ? component : `${component}, ${host}`;
  }),
  column('Message', 'What happened', (event) => textAt(event, 'message').trim()),
  wide('First Seen', 'How long ago this happened first', firstSeen),
  wide('Count', 'How often it happened', (event) => numberAt(event, 'series.count') || numberAt(event, 'count') || 1),
  { ...nameColumn, priority: 1 },
];

const HEALTH: Readonly<Record<string, string>> = { True: 'Healthy', False: 'Unhealthy' };

function healthOf(component: JsonObject): JsonObject {
  return listAt(component, 'conditions').find(({ type }) => type === 'Healthy') ?? {};
}

export const coreColumns: Readonly<Record<string, readonly Column[]>> = {
  configmaps: [
    nameColumn,
    column('Data', 'Number of entries', (object) => countAt(object, 'data') + countAt(object, 'binaryData')),
    ageColumn,
  ],
  componentstatuses: [
    nameColumn,
    column('Status', 'Whether it answers', (object) => HEALTH[textAt(healthOf(object), 'status')] ?? 'Unknown'),
    column('Message', 'What it says', (object) => textAt(healthOf(object), 'message')),
    column('Error', 'What is wrong with it', (object) => textAt(healthOf(object), 'error')),
  ],
  endpoints: [nameColumn, column('Endpoints', 'Addresses and ports that are ready', endpointsText), ageColumn],
  events: eventColumns,
  namespaces: [
    nameColumn,
    column('Status', 'Whether it is in use or being emptied', cellAt('status.phase')),
    ageColumn,
  ],
  nodes: [
    nameColumn,
    column('Status', 'Whether it is ready, and takes new pods', nodeStatus),
    column('Roles', 'What the node is for', nodeRoles),
    ageColumn,
    column('Version', 'Version of the kubelet', cellAt('status.nodeInfo.kubeletVersion')),
    wide('Internal-IP', 'Address inside', nodeAddress('InternalIP')),
    wide('External-IP', 'Address outside', nodeAddress('ExternalIP')),
    wide('OS-Image', 'Operating system', cellAt('status.nodeInfo.osImage', '<unknown>')),
    wide('Kernel-Version', 'Kernel', cellAt('status.nodeInfo.kernelVersion', '<unknown>')),
    wide(
      'Container-Runtime',
      'What runs the containers',
      cellAt('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
    ),
  ],
  persistentvolumeclaims: [
    nameColumn,
    column('Status', 'How far the claim is', phase),
    column('Volume', 'The volume that it got', cellAt('spec.volumeName')),
    column('Capacity', 'Size of the volume', (claim) =>
      textAt(claim, 'spec.volumeName') === '' ? '' : textAt(claim, 'status.capacity.storage'),
    ),
    column('Access Modes', 'How the volume may be mounted', (claim) =>
      textAt(claim, 'spec.volumeName') === '' ? '' : accessModes(claim, 'status.accessModes'),
    ),
    column('StorageClass', 'The class that it asks for', cellAt('spec.storageClassName')),
    column(
      'VolumeAttributesClass',
      'The class of attributes that it asks for',
      cellAt('spec.volumeAttributesClassName', '<unset>'),
    ),
    ageColumn,
    wide('VolumeMode', 'Files or blocks', cellAt('spec.volumeMode', '<unset>')),
  ],
  persistentvolumes: [
    nameColumn,
    column('Capacity', 'Size of the volume', cellAt('spec.capacity.storage')),
    column('Access Modes', 'How it may be mounted', (volume) => accessModes(volume, 'spec.accessModes')),
    column('Reclaim Policy', 'What becomes of it when its claim is gone', cellAt('spec.persistentVolumeReclaimPolicy')),
    column('Status', 'Whether it is free or taken', phase),
    column('Claim', 'Namespace and name of the claim that has it', (volume) => {
      const name = textAt(volume, 'spec.claimRef.name');
      return name === '' ? '' : `${textAt(volume, 'spec.claimRef.namespace')}/${name}`;
    }),
    column('StorageClass', 'The class that it belongs to', cellAt('spec.storageClassName')),
    column('VolumeAttributesClass', 'The class of its attributes', cellAt('spec.volumeAttributesClassName', '<unset>')),
    column('Reason', 'Why it is in this state', cellAt('status.reason')),
    ageColumn,
    wide('VolumeMode', 'Files or blocks', cellAt('spec.volumeMode', '<unset>')),
  ],
  pods: podColumns,
  podtemplates: [
    nameColumn,
    column('Containers', 'Names of the containers', containers('template.spec')),
    column('Images', 'Images of the containers', images('template.spec')),
    column('Pod Labels', 'Labels that the pods get', (object) =>
      labelsText(valueAt(object, 'template.metadata.labels')),
    ),
  ],
  replicationcontrollers: replicaColumns((object) => labelsText(valueAt(object, 'spec.selector'))),
  resourcequotas: [
    nameColumn,
    column('Request', 'What is used, of what may be asked for', (quota) => quotaUse(quota, false)),
    column('Limit', 'What is used, of what limits may add up to', (quota) => quotaUse(quota, true)),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    column('Type', 'What sort of secret it is', cellAt('type')),
    column('Data', 'Number of entries', (object) => countAt(object, 'data')),
    ageColumn,
  ],
  serviceaccounts: [nameColumn, ageColumn],
  services: serviceColumns,
};
