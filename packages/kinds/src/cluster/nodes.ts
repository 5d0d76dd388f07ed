import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { Family } from '../family.ts';
import { warnOfNetwork } from '../network/address-warnings.ts';
import { labelKeyProblems, labelValueProblems } from '../objects/names.ts';
import { cellAt, flagAt, hasCondition, listAt, NONE, textAt } from '../rules/cells.ts';
import { isNetwork, NETWORK, sameValue } from '../rules/checks.ts';
import { ageColumn, column, nameColumn, wide } from '../rules/columns.ts';
import { defaulter } from '../rules/default-rules.ts';
import { textFields, valueAt } from '../rules/fields.ts';
import type { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';
import type { Warnings } from '../rules/warnings.ts';

const setAllocatable = defaulter({ 'status.allocatable': ({ capacity }) => capacity });

/** podCIDR and podCIDRs are one field: the first of podCIDRs is podCIDR, which wins when they differ. */
function joinNetworks(spec: Json | undefined): void {
  if (!isJsonObject(spec)) return;
  const all = Array.isArray(spec.podCIDRs) ? spec.podCIDRs : [];
  if (spec.podCIDR && spec.podCIDR !== all[0]) spec.podCIDRs = [spec.podCIDR];
  else if (all[0]) spec.podCIDR = all[0];
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Checks the taints; Kubernetes reports them below metadata. */
const taints: Check = (spec) => {
  const list = spec.up(1).as('metadata', null).as('taints', spec.object.taints);
  const seen = new Set<string>();
  for (const taint of list.items()) {
    const key = taint.field('key');
    const effect = taint.field('effect');
    key.invalidFor(labelKeyProblems(key.text), key.text);
    if (effect.text === '') effect.required();
    else if (!EFFECTS.includes(effect.text)) effect.unsupported(EFFECTS);
    taint.field('value').invalidFor(labelValueProblems(taint.field('value').text));
    const pair = `${key.text}:${effect.text}`;
    if (seen.has(pair)) taint.duplicate(taint.value, 'taints must be unique by key and effect pair');
    seen.add(pair);
  }
};

const podNetworks: Check = (spec) => {
  const list = spec.field('podCIDRs');
  for (const one of list.items()) if (!isNetwork(one.text)) one.invalid(NETWORK);
  if (list.list.length < 2) return;
  const families = new Set(list.list.map((one) => String(one).includes(':')));
  if (list.list.length > 2 || families.size < 2) list.invalid('may specify no more than one CIDR for each IP family');
};

function nodeUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  if (!sameValue(now.object.externalID, before.object.externalID))
    now.field('externalID').forbidden('may not be updated');
  if (!before.field('podCIDRs').isEmpty && !sameValue(now.object.podCIDRs, before.object.podCIDRs)) {
    now.field('podCIDRs').forbidden('node updates may not change podCIDR except from "" to valid');
  }
  if (!before.field('providerID').isEmpty && now.object.providerID !== before.object.providerID) {
    now.field('providerID').forbidden('node updates may not change providerID except from "" to valid');
  }
}

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

const warnOfNode: Warnings = (node, warn) => {
  const spec = node.field('spec');
  if (spec.has('configSource')) warn('spec.configSource: the feature is removed');
  if (!spec.field('externalID').isEmpty) {
    warn('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  }
  for (const network of spec.field('podCIDRs').items()) warnOfNetwork(network, warn);
};

export const nodes: Family = {
  rules: {
    nodes: { createsWithStatus: true, selectableFields: textFields({ 'spec.unschedulable': 'false' }) },
  },
  defaults: {
    nodes: (object) => {
      joinNetworks(object.spec);
      setAllocatable(object);
    },
  },
  columns: {
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
  },
  updates: { nodes: { '': nodeUpdate } },
  warnings: { nodes: warnOfNode },
  types: { 'core.v1.NodeSpec': { '': [taints, podNetworks] } },
};
