import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { cellAt, flagAt, hasCondition, listAt, NONE, textAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn, wide } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

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

const HEALTH: Readonly<Record<string, string>> = { True: 'Healthy', False: 'Unhealthy' };

function healthOf(component: JsonObject): JsonObject {
  return listAt(component, 'conditions').find(({ type }) => type === 'Healthy') ?? {};
}

export const columns: ByResource<readonly Column[]> = {
  'leases.coordination.k8s.io': [
    nameColumn,
    column('Holder', 'Holder of the lease', cellAt('spec.holderIdentity')),
    ageColumn,
  ],
  'runtimeclasses.node.k8s.io': [nameColumn, column('Handler', 'Container runtime', cellAt('handler')), ageColumn],
  componentstatuses: [
    nameColumn,
    column('Status', 'Health of the component', (object) => HEALTH[textAt(healthOf(object), 'status')] ?? 'Unknown'),
    column('Message', 'Message of the component', (object) => textAt(healthOf(object), 'message')),
    column('Error', 'Error of the component', (object) => textAt(healthOf(object), 'error')),
  ],
  namespaces: [nameColumn, column('Status', 'Phase of the namespace', cellAt('status.phase')), ageColumn],
  nodes: [
    nameColumn,
    column('Status', 'Whether the node is ready and accepts new pods', nodeStatus),
    column('Roles', 'Roles of the node', nodeRoles),
    ageColumn,
    column('Version', 'Version of the kubelet', cellAt('status.nodeInfo.kubeletVersion')),
    wide('Internal-IP', 'Address within the cluster', nodeAddress('InternalIP')),
    wide('External-IP', 'Address outside of the cluster', nodeAddress('ExternalIP')),
    wide('OS-Image', 'Operating system', cellAt('status.nodeInfo.osImage', '<unknown>')),
    wide('Kernel-Version', 'Kernel', cellAt('status.nodeInfo.kernelVersion', '<unknown>')),
    wide('Container-Runtime', 'Container runtime', cellAt('status.nodeInfo.containerRuntimeVersion', '<unknown>')),
  ],
};
