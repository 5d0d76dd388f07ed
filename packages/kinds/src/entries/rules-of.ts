import { clusterColumns } from '../columns/cluster.ts';
import { coreColumns } from '../columns/core.ts';
import { networkColumns } from '../columns/network.ts';
import { storageColumns } from '../columns/storage.ts';
import { workloadColumns } from '../columns/workloads.ts';
import { clusterDefaults } from '../defaults/cluster.ts';
import { coreDefaults } from '../defaults/core.ts';
import type { SetDefaults } from '../defaults/template.ts';
import { workloadDefaults } from '../defaults/workloads.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { warner } from '../warnings/warnings.ts';
import { admissionRules, apiExtensionRules } from './api-machinery.ts';
import { clusterRules } from './cluster.ts';
import { coreRules } from './core.ts';
import { networkRules } from './network.ts';
import { storageRules } from './storage.ts';
import { workloadRules } from './workloads.ts';

/** Rules by `resource` or `resource.group`; of one version alone by `resource.version.group`. */
const ALL: Readonly<Record<string, KindRules>> = {
  ...coreRules,
  ...workloadRules,
  ...networkRules,
  ...storageRules,
  ...clusterRules,
  ...admissionRules,
  ...apiExtensionRules,
};

export function rulesOf(group: string, version: string, resource: string): KindRules {
  const suffix = group === '' ? '' : `.${group}`;
  const [name, ofVersion] = [`${resource}${suffix}`, `${resource}.${version}${suffix}`];
  const setDefaults = DEFAULTS[ofVersion] ?? DEFAULTS[name];
  const columns = COLUMNS[name];
  const warn = warner(name);
  return {
    ...ALL[name],
    ...ALL[ofVersion],
    ...(MADE_BY_PUT.has(name) ? { createsOnUpdate: true } : {}),
    ...(setDefaults === undefined ? {} : { setDefaults }),
    ...(columns === undefined ? {} : { columns }),
    ...(warn === undefined ? {} : { warn }),
  };
}

const MADE_BY_PUT = new Set([
  'endpoints',
  'events',
  'events.events.k8s.io',
  'limitranges',
  'services',
  'leases.coordination.k8s.io',
  'runtimeclasses.node.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
]);

const DEFAULTS: Readonly<Record<string, SetDefaults>> = { ...coreDefaults, ...workloadDefaults, ...clusterDefaults };

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  ...coreColumns,
  ...workloadColumns,
  ...networkColumns,
  ...storageColumns,
  ...clusterColumns,
};

/** The names of all rules, for the test that each belongs to a kind. */
export function ruleNames(): string[] {
  return [...Object.keys(ALL), ...Object.keys(DEFAULTS), ...Object.keys(COLUMNS)];
}
