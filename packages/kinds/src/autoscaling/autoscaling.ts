import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { ByResource, Family } from '../family.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { cellAt, firstOf, listAt, numberCell, textAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { defaulter, type SetDefaults } from '../rules/default-rules.ts';
import { autoscalerConversion } from './conversion.ts';
import { autoscalerChecks } from './validation.ts';

const MAX_METRICS = 2;
const UNKNOWN = '<unknown>';

const autoscalerColumns: readonly Column[] = [
  nameColumn,
  column('Reference', 'Scaled object', (object) => {
    return `${textAt(object, 'spec.scaleTargetRef.kind')}/${textAt(object, 'spec.scaleTargetRef.name')}`;
  }),
  column('Targets', 'Current and target value of each metric', (object) => {
    const statuses = listAt(object, 'status.currentMetrics');
    const texts = listAt(object, 'spec.metrics').map((metric, i) => metricText(metric, statuses[i]));
    return firstOf(texts, MAX_METRICS, ', ');
  }),
  column('MinPods', 'Smallest number of pods', cellAt('spec.minReplicas', '<unset>')),
  column('MaxPods', 'Largest number of pods', numberCell('spec.maxReplicas')),
  column('Replicas', 'Current number of pods', numberCell('status.currentReplicas')),
  ageColumn,
];

const SOURCES = ['resource', 'containerResource', 'pods', 'object', 'external'] as const;

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const source = SOURCES.find((name) => isJsonObject(metric[name]));
  if (source === undefined) return '<unknown type>';
  const wanted = metric[source] as JsonObject;
  const found = isJsonObject(status?.[source]) ? (status[source] as JsonObject) : {};
  const average = textAt(wanted, 'target.averageValue');
  if (source === 'resource' || source === 'containerResource') {
    const name = textAt(wanted, 'name');
    if (average !== '') return `${name}: ${textAt(found, 'current.averageValue', UNKNOWN)}/${average}`;
    const percent = (text: string, otherwise: string) => (text === '' ? otherwise : `${text}%`);
    const current = percent(textAt(found, 'current.averageUtilization'), UNKNOWN);
    return `${name}: ${current}/${percent(textAt(wanted, 'target.averageUtilization'), '<auto>')}`;
  }
  if (source === 'pods') return `${textAt(found, 'current.averageValue', UNKNOWN)}/${average}`;
  if (average !== '') return `${textAt(found, 'current.averageValue', UNKNOWN)}/${average} (avg)`;
  return `${textAt(found, 'current.value', UNKNOWN)}/${textAt(wanted, 'target.value')}`;
}

const scalingRules = (window: number | undefined, policies: Json): JsonObject => ({
  ...(window === undefined ? {} : { stabilizationWindowSeconds: window }),
  selectPolicy: 'Max',
  policies,
});
const SCALE_UP = scalingRules(0, [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
]);
const SCALE_DOWN = scalingRules(undefined, [{ type: 'Percent', value: 100, periodSeconds: 15 }]);

const autoscaler = defaulter({
  'spec.minReplicas': 1,
  'spec.metrics': [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
  ],
});

const columns: ByResource<readonly Column[]> = {
  'horizontalpodautoscalers.autoscaling': autoscalerColumns,
};

const defaults: ByResource<SetDefaults> = {
  'horizontalpodautoscalers.v1.autoscaling': defaulter({ 'spec.minReplicas': 1 }),
  'horizontalpodautoscalers.v2.autoscaling': (object) => {
    autoscaler(object);
    const behavior = isJsonObject(object.spec) ? object.spec.behavior : undefined;
    if (!isJsonObject(behavior)) return;
    behavior.scaleUp = { ...SCALE_UP, ...((behavior.scaleUp ?? {}) as JsonObject) };
    behavior.scaleDown = { ...SCALE_DOWN, ...((behavior.scaleDown ?? {}) as JsonObject) };
  },
};

const rules: ByResource<KindRules> = {
  'horizontalpodautoscalers.v1.autoscaling': { conversion: autoscalerConversion },
};

export const autoscaling: Family = { rules, defaults, columns, types: autoscalerChecks };
