import { canonicalQuantity, isJsonObject, type JsonObject } from '@tidegate/schema';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { amountOf } from '../rules/amount-checks.ts';
import { cellAt, flagCell, numberCell } from '../rules/cells.ts';
import { unchanged } from '../rules/checks.ts';
import { ageColumn, boolean, column, integer, nameColumn } from '../rules/columns.ts';
import { defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';
import { valueAt } from '../rules/fields.ts';
import type { StatusCounts } from '../rules/status-counts.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import type { Warnings } from '../rules/warnings.ts';
import { limitChecks, quotaUpdate } from './limits.ts';
import { fixedValue, policyChecks } from './validation.ts';

function quotaUse(quota: JsonObject, limits: boolean): string {
  const hard = (valueAt(quota, 'status.hard') ?? {}) as JsonObject;
  const used = (valueAt(quota, 'status.used') ?? {}) as JsonObject;
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith('limits') === limits)
    .map((name) => `${name}: ${String(used[name] ?? '0')}/${String(hard[name])}`)
    .join(', ');
}

/** The default limit of containers is max, and the default request is the default limit or min. */
function limitRange({ spec }: JsonObject): void {
  const limits = isJsonObject(spec) && Array.isArray(spec.limits) ? spec.limits.filter(isJsonObject) : [];
  for (const limit of limits) {
    if (limit.type !== 'Container') continue;
    const bound = (name: string) => (limit[name] ?? {}) as JsonObject;
    setSome(limit, 'default', { ...bound('max'), ...bound('default') });
    setSome(limit, 'defaultRequest', { ...bound('min'), ...bound('default'), ...bound('defaultRequest') });
  }
}

function setSome(holder: JsonObject, name: string, amounts: JsonObject): void {
  if (Object.keys(amounts).length > 0) holder[name] = amounts;
}

/** Warns of a quota whose limit is below its request. */
const warnOfQuota: Warnings = (quota, warn, old) => {
  if (old !== undefined) return;
  const hard = quota.field('spec.hard').object;
  for (const name of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const isBare = hard[`requests.${name}`] === undefined && (name === 'cpu' || name === 'memory');
    const request = isBare ? name : `requests.${name}`;
    const limit = `limits.${name}`;
    if (hard[request] === undefined || hard[limit] === undefined) continue;
    if (amountOf(hard[request]) <= amountOf(hard[limit])) continue;
    const shown = (key: string) => `${key} (${canonicalQuantity(String(hard[key]))})`;
    warn(`ResourceQuota ${shown(request)} should be less than ${shown(limit)}`);
  }
};

const columns: ByResource<readonly Column[]> = {
  'priorityclasses.scheduling.k8s.io': [
    nameColumn,
    integer('Value', 'Pods with a higher value are scheduled first', numberCell('value')),
    boolean('Global-Default', 'Whether pods without a priority class get this one', flagCell('globalDefault')),
    ageColumn,
    column('PreemptionPolicy', 'Whether pods with lower priority are preempted', cellAt('preemptionPolicy')),
  ],
  resourcequotas: [
    nameColumn,
    column('Request', 'Used and allowed requests', (quota) => quotaUse(quota, false)),
    column('Limit', 'Used and allowed limits', (quota) => quotaUse(quota, true)),
    ageColumn,
  ],
  'poddisruptionbudgets.policy': [
    nameColumn,
    column(
      'Min Available',
      'Number or percentage of pods that must stay available',
      cellAt('spec.minAvailable', 'N/A'),
    ),
    column(
      'Max Unavailable',
      'Number or percentage of pods that may be unavailable',
      cellAt('spec.maxUnavailable', 'N/A'),
    ),
    integer('Allowed Disruptions', 'Number of pods that may be evicted now', numberCell('status.disruptionsAllowed')),
    ageColumn,
  ],
};

const defaults: ByResource<SetDefaults> = {
  'priorityclasses.scheduling.k8s.io': defaulter({ preemptionPolicy: new IfAbsent('PreemptLowerPriority') }),
  limitranges: limitRange,
};

const rules: ByResource<KindRules> = {
  limitranges: { createsOnUpdate: true },
  'priorityclasses.scheduling.k8s.io': { counts: [] },
  resourcequotas: { deleteReturnsObject: true },
  'poddisruptionbudgets.policy': { name: 'path-segment', counts: ['spec'], conditionalUpdate: true },
};

const statusCounts: ByResource<StatusCounts> = {
  'poddisruptionbudgets.policy': {
    natural: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
  },
};

const updates: ByResource<UpdateChecks> = {
  resourcequotas: { '': quotaUpdate },
  'priorityclasses.scheduling.k8s.io': { value: fixedValue, preemptionPolicy: unchanged },
};

const warnings: ByResource<Warnings> = {
  resourcequotas: warnOfQuota,
};

const usage: ByResource<QuotaUsage> = { resourcequotas: { names: ['resourcequotas'] } };

export const policy: Family = {
  rules,
  defaults,
  columns,
  updates,
  statusCounts,
  warnings,
  usage,
  types: { ...limitChecks, ...policyChecks },
};
