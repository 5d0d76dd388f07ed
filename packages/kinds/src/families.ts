import { access } from './access/access.ts';
import { admission } from './admission/admission.ts';
import { autoscaling } from './autoscaling/autoscaling.ts';
import { batch } from './batch/batch.ts';
import { cluster } from './cluster/cluster.ts';
import { namespaces } from './cluster/namespaces.ts';
import { nodes } from './cluster/nodes.ts';
import { configMaps } from './config/config-maps.ts';
import { secrets } from './config/secrets.ts';
import { serviceAccounts } from './config/service-accounts.ts';
import { apiServices } from './custom/api-services.ts';
import { custom } from './custom/custom.ts';
import { devices } from './devices/devices.ts';
import { events } from './events/events.ts';
import type { ByResource, Family } from './family.ts';
import { flowControl } from './flow-control/flow-control.ts';
import type { KindRules } from './kind-entry.ts';
import { network } from './network/network.ts';
import { pods } from './pods/pods.ts';
import { disruptionBudgets } from './policy/disruption-budgets.ts';
import { limits } from './policy/limits.ts';
import { priorityClasses } from './policy/priority-classes.ts';
import { selectorChecks } from './rules/selectors.ts';
import { warner } from './rules/warnings.ts';
import { services } from './services/services.ts';
import { storage } from './storage/storage.ts';
import { workloads } from './workloads/workloads.ts';

/** All families of kinds. A new kind is added to a family, or to a new one. */
const families: readonly Family[] = [
  { types: selectorChecks },
  pods,
  workloads,
  batch,
  autoscaling,
  limits,
  disruptionBudgets,
  priorityClasses,
  services,
  network,
  storage,
  devices,
  nodes,
  namespaces,
  cluster,
  configMaps,
  secrets,
  serviceAccounts,
  events,
  access,
  flowControl,
  admission,
  custom,
  apiServices,
];

const rules = merged((family) => family.rules);
const defaults = merged((family) => family.defaults);
const columns = merged((family) => family.columns);
const warnings = merged((family) => family.warnings);

export const droppedFields = merged((family) => family.dropped);
export const typeRules = merged((family) => family.types);
export const updateRules = merged((family) => family.updates);
export const statusCounts = merged((family) => family.statusCounts);
export const quotaUsage = merged((family) => family.usage);

/** The rules of one kind. Rules of one version replace those of all versions. */
export function rulesOf(group: string, version: string, resource: string): KindRules {
  const suffix = group === '' ? '' : `.${group}`;
  const [name, ofVersion] = [`${resource}${suffix}`, `${resource}.${version}${suffix}`];
  const setDefaults = defaults[ofVersion] ?? defaults[name];
  const table = columns[name];
  const warn = warnings[name];
  return {
    ...rules[name],
    ...rules[ofVersion],
    ...(setDefaults === undefined ? {} : { setDefaults }),
    ...(table === undefined ? {} : { columns: table }),
    ...(warn === undefined ? {} : { warn: warner(warn) }),
  };
}

/** The resources that have entries, for the test that each of them is served. */
export function namesInFamilies(): string[] {
  const tables: ReadonlyArray<ByResource<unknown>> = [
    rules,
    defaults,
    columns,
    warnings,
    updateRules,
    statusCounts,
    quotaUsage,
  ];
  return [...new Set(tables.flatMap((table) => Object.keys(table)))];
}

/** Joins one table of all families. No name may be in two families. */
function merged<T>(tableOf: (family: Family) => ByResource<T> | undefined): ByResource<T> {
  const all: Record<string, T> = {};
  for (const [name, entry] of families.flatMap((family) => Object.entries(tableOf(family) ?? {}))) {
    if (Object.hasOwn(all, name)) throw new Error(`two families have rules for ${name}`);
    all[name] = entry;
  }
  return all;
}
