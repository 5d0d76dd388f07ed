import { pathSegmentProblems } from '../rules/names.ts';
import { amountOf } from './amounts.ts';
import { atLeast, atMostAll, countOrPercent, oneOf } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable } from './rules.ts';

const target: Check = (place) => {
  for (const name of ['kind', 'name']) {
    const field = place.field(name);
    if (field.text === '') field.required();
    else field.invalidFor(pathSegmentProblems(field.text));
  }
};

const bounds: Check = (spec) => {
  const most = spec.field('maxReplicas');
  const count = Number(most.value ?? 0);
  if (count < 1) most.invalid('must be greater than 0', count);
  if (spec.has('minReplicas') && count < Number(spec.object.minReplicas)) {
    most.invalid('must be greater than or equal to `minReplicas`', count);
  }
};

/** The part of a metric that each type tells its source in. */
const SOURCES: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

const metric: Check = (place) => {
  const type = place.field('type');
  const part = SOURCES[type.text];
  if (type.text === '') type.required('must specify a metric source type');
  else if (part === undefined) {
    type.unsupported(Object.keys(SOURCES));
    return;
  } else if (!place.has(part)) {
    place.field(part).required('must populate information for the given metric source');
  }
  for (const name of Object.values(SOURCES)) {
    if (name !== part && place.has(name)) place.field(name).forbidden('must populate the given metric source only');
  }
  if (part !== undefined) metricTarget(place.field(part), part);
};

const TARGETS = new Set(['Utilization', 'Value', 'AverageValue']);

function metricTarget(source: Place, part: string): void {
  const wanted = source.field('target');
  if (wanted.value === undefined) return;
  const type = wanted.field('type');
  if (type.text === '') type.required('must specify a metric target type');
  else if (!TARGETS.has(type.text)) type.invalid('must be either Utilization, Value, or AverageValue');
  const utilization = wanted.field('averageUtilization');
  if (utilization.value !== undefined && Number(utilization.value) < 1) utilization.invalid('must be greater than 0');
  for (const name of ['value', 'averageValue']) {
    const amount = wanted.field(name);
    if (amount.value !== undefined && amountOf(amount.value) <= 0n) amount.invalid('must be positive');
  }
  if (part === 'resource' || part === 'containerResource') resourceTarget(source, wanted);
  else if (part === 'external' && !wanted.has('value') && !wanted.has('averageValue')) {
    wanted.field('averageValue').required('must set either a target value for metric or a per-pod target');
  } else if (part === 'pods' && !wanted.has('averageValue')) {
    wanted.field('averageValue').required('must specify a positive target averageValue');
  }
}

function resourceTarget(source: Place, wanted: Place): void {
  if (source.field('name').isEmpty) source.field('name').required('must specify a resource name');
  const utilization = wanted.field('averageUtilization');
  if (utilization.value === undefined && !wanted.has('averageValue')) {
    utilization.required('must set either a target raw value or a target utilization');
  } else if (utilization.value !== undefined && wanted.has('averageValue')) {
    wanted.field('averageValue').forbidden('may not set both a target raw value and a target utilization');
  }
}

const scalingRules: Check = (place) => {
  const policies = place.field('policies');
  if (policies.isEmpty) policies.required('must specify at least one Policy');
  const stabilization = place.field('stabilizationWindowSeconds');
  if (Number(stabilization.value) < 0) stabilization.invalid('must be greater than or equal to zero');
  if (Number(stabilization.value) > 3600) stabilization.invalid('must be less than or equal to 3600');
};

const scalingPolicy: Check = (place) => {
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

const shares = [countOrPercent, atMostAll];

export const scalingTypeRules: RuleTable = {
  'autoscaling.v2.HorizontalPodAutoscalerSpec': { minReplicas: atLeast(1), '': bounds },
  'autoscaling.v2.CrossVersionObjectReference': { '': target },
  'autoscaling.v2.MetricSpec': { '': metric },
  'autoscaling.v2.HPAScalingRules': { selectPolicy: oneOf('Disabled', 'Max', 'Min'), '': scalingRules },
  'autoscaling.v2.HPAScalingPolicy': { type: oneOf('Percent', 'Pods'), '': scalingPolicy },
  'policy.v1.PodDisruptionBudgetSpec': {
    minAvailable: shares,
    maxUnavailable: shares,
    unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
    '': budget,
  },
  'scheduling.v1.PriorityClass': { preemptionPolicy: oneOf('PreemptLowerPriority', 'Never'), '': priorityClass },
};
