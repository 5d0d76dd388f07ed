import { isJsonObject, type Json } from '@tidegate/schema';
import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { warnOfNetwork } from '../network/address-warnings.ts';
import { unchanged } from '../rules/checks.ts';
import { defaulter, type SetDefaults } from '../rules/default-rules.ts';
import { textFields } from '../rules/fields.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import type { Warnings } from '../rules/warnings.ts';
import { columns } from './columns.ts';
import { namespace } from './namespaces.ts';
import { warnOfLabels } from './node-labels.ts';
import { clusterChecks, nodeUpdate } from './validation.ts';

const nodeDefaults = defaulter({ 'status.allocatable': ({ capacity }) => capacity });

/** podCIDR and podCIDRs are one field: the first of podCIDRs is podCIDR, which wins when they differ. */
function joinNetworks(spec: Json | undefined): void {
  if (!isJsonObject(spec)) return;
  const all = Array.isArray(spec.podCIDRs) ? spec.podCIDRs : [];
  if (spec.podCIDR && spec.podCIDR !== all[0]) spec.podCIDRs = [spec.podCIDR];
  else if (all[0]) spec.podCIDR = all[0];
}

const warnOfNode: Warnings = (node, warn) => {
  const spec = node.field('spec');
  if (spec.has('configSource')) warn('spec.configSource: the feature is removed');
  if (!spec.field('externalID').isEmpty) {
    warn('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  }
  for (const network of spec.field('podCIDRs').items()) warnOfNetwork(network, warn);
};

const warnOfRuntimeClass: Warnings = (one, warn) => {
  const selector = one.field('scheduling.nodeSelector');
  warnOfLabels(selector, warn, () => selector.path);
};

const defaults: ByResource<SetDefaults> = {
  nodes: (object) => {
    joinNetworks(object.spec);
    nodeDefaults(object);
  },
};

const rules: ByResource<KindRules> = {
  'leases.coordination.k8s.io': { conditionalUpdate: true, createsOnUpdate: true },
  'runtimeclasses.node.k8s.io': { conditionalUpdate: true, createsOnUpdate: true },
  namespaces: namespace,
  nodes: { createsWithStatus: true, selectableFields: textFields({ 'spec.unschedulable': 'false' }) },
  componentstatuses: { deprecated: 'v1 ComponentStatus is deprecated in v1.19+' },
};

const updates: ByResource<UpdateChecks> = {
  nodes: { '': nodeUpdate },
  'runtimeclasses.node.k8s.io': { handler: unchanged },
};

const warnings: ByResource<Warnings> = {
  nodes: warnOfNode,
  'runtimeclasses.node.k8s.io': warnOfRuntimeClass,
};

const dropped = { 'coordination.v1.LeaseSpec': ['preferredHolder', 'strategy'] };

export const cluster: Family = { rules, defaults, dropped, columns, updates, warnings, types: clusterChecks };
