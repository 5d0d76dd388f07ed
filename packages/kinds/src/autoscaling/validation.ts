import type { JsonObject } from '@tidegate/schema';
import { pathSegmentProblems } from '../objects/names.ts';
import { notNegativeAmount } from '../rules/amount-checks.ts';
import { atLeast, requiredOneOf } from '../rules/checks.ts';
import { type Check, type RuleTable, unchecked } from '../rules/type-rules.ts';
import { METRIC_SOURCES, metric, scalesToZero } from './metrics.ts';

const target: Check = (place) => {
  for (const name of ['kind', 'name']) {
    const field = place.field(name);
    if (field.text === '') field.required();
    else field.invalidFor(pathSegmentProblems(field.text));
  }
  const version = place.field('apiVersion');
  const parts = version.text.split('/');
  if (parts.length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
  else if (
    place.step === 'scaleTargetRef' &&
    (parts.length < 2 || parts[0] === '') &&
    !isReplicationController(place.object)
  ) {
    version.invalid('apiVersion must specify API group', version.text);
  }
};

function isReplicationController({ apiVersion, kind }: JsonObject): boolean {
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

export const autoscalerChecks: RuleTable = {
  'autoscaling.v2.HorizontalPodAutoscalerSpec': { minReplicas: atLeast(1), '': [bounds, scalesToZero] },
  'autoscaling.v2.CrossVersionObjectReference': { '': target },
  'autoscaling.v2.MetricSpec': { ...Object.fromEntries(METRIC_SOURCES.map((name) => [name, unchecked])), '': metric },
  'autoscaling.v2.HPAScalingRules': {
    selectPolicy: requiredOneOf('Disabled', 'Max', 'Min'),
    tolerance: notNegativeAmount,
    '': scalingRules,
  },
  'autoscaling.v2.HPAScalingPolicy': { '': scalingPolicy },
};
