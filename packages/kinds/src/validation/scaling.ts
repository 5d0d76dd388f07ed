import type { JsonObject } from '@tidegate/schema';
import { pathSegmentProblems } from '../rules/names.ts';
import { notNegativeAmount } from './amounts.ts';
import { among, atLeast, atMostAll, countOrPercent } from './checks.ts';
import { METRIC_SOURCES, metric, scalesToNone } from './metrics.ts';
import type { Place } from './place.ts';
import { type Check, type RuleTable, unchecked } from './rules.ts';

const target: Check = (place) => {
  for (const name of ['kind', 'name']) {
    const field = place.field(name);
    if (field.text === '') field.required();
    else field.invalidFor(pathSegmentProblems(field.text));
  }
  const version = place.field('apiVersion');
  const parts = version.text.split('/');
  if (parts.length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
  else if (place.step === 'scaleTargetRef' && (parts.length < 2 || parts[0] === '') && !isOfCore(place.object)) {
    version.invalid('apiVersion must specify API group', version.text);
  }
};

function isOfCore({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === 'v1' && kind === 'ReplicationController';
}

const bounds: Check = (spec) => {
  const most = spec.field('maxReplicas');
  const count = Number(most.value ?? 0);
  if (count < 1) most.invalid('must be greater than 0', count);
  if (spec.has('minReplicas') && count < Number(spec.object.minReplicas)) {
    most.invalid('must be greater than or equal to `minReplicas`', count);
  }
};

const scalingRules: Check = (place) => {
  const policies = place.field('policies');
  if (policies.isEmpty) policies.required('must specify at least one Policy');
  const stabilization = place.field('stabilizationWindowSeconds');
  if (Number(stabilization.value) < 0) stabilization.invalid('must be greater than or equal to zero');
  if (Number(stabilization.value) > 3600) stabilization.invalid('must be less than or equal to 3600');
};

const POLICIES = ['Percent', 'Pods'];

const scalingPolicy: Check = (place) => {
  const type = place.field('type');
  if (!POLICIES.includes(type.text)) type.unsupported(POLICIES, type.text);
  for (const [name, most] of [
    ['value', undefined],
    ['periodSeconds', 1800],
  ] as const) {
    const number = place.field(name);
    const value = Number(number.value ?? 0);
    if (value <= 0) number.invalid('must be greater than zero', value);
    if (most !== undefined && value > most) number.invalid(`must be less than or equal to ${most}`);
  }
};

const budget: Check = (spec) => {
  if (spec.has('minAvailable') && spec.has('maxUnavailable')) {
    spec.invalid('minAvailable and maxUnavailable cannot be both set');
  }
};

const HIGHEST = 1_000_000_000;
const SYSTEM = new Set(['system-node-critical', 'system-cluster-critical']);

const priorityClass: Check = (object) => {
  const name = object.field('metadata.name');
  if (name.text.startsWith('system-')) {
    if (SYSTEM.has(name.text)) return;
    name.forbidden(
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name.text} is not a known system priority class`,
    );
    return;
  }
  const value = object.field('value');
  if (Number(value.value ?? 0) > HIGHEST) {
    value.forbidden(`maximum allowed value of a user defined priority is ${HIGHEST}`);
  }
};

export function fixedValue(now: Place, old: Place): void {
  if ((now.value ?? 0) !== (old.value ?? 0)) now.forbidden('may not be changed in an update.');
}

const priorityPreemption: Check = (place) => {
  if (place.text === '') place.required();
  else among('PreemptLowerPriority', 'Never')(place);
};

const shares = [countOrPercent, atMostAll];

export const scalingTypeRules: RuleTable = {
  'autoscaling.v2.HorizontalPodAutoscalerSpec': { minReplicas: atLeast(1), '': [bounds, scalesToNone] },
  'autoscaling.v2.CrossVersionObjectReference': { '': target },
  'autoscaling.v2.MetricSpec': { ...Object.fromEntries(METRIC_SOURCES.map((name) => [name, unchecked])), '': metric },
  'autoscaling.v2.HPAScalingRules': {
    selectPolicy: among('Disabled', 'Max', 'Min'),
    tolerance: notNegativeAmount,
    '': scalingRules,
  },
  'autoscaling.v2.HPAScalingPolicy': { '': scalingPolicy },
  'policy.v1.PodDisruptionBudgetSpec': {
    minAvailable: shares,
    maxUnavailable: shares,
    unhealthyPodEvictionPolicy: among('AlwaysAllow', 'IfHealthyBudget'),
    '': budget,
  },
  'scheduling.v1.PriorityClass': { preemptionPolicy: priorityPreemption, '': priorityClass },
};
