import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { Column } from '../kind-entry.ts';
import { cellAt, firstOf, listAt, numberCell, textAt } from './cells.ts';
import { ageColumn, column, nameColumn } from './shared.ts';

const MOST_METRICS = 2;
const UNKNOWN = '<unknown>';

export const autoscalerColumns: readonly Column[] = [
  nameColumn,
  column('Reference', 'What is scaled', (object) => {
    return `${textAt(object, 'spec.scaleTargetRef.kind')}/${textAt(object, 'spec.scaleTargetRef.name')}`;
  }),
  column('Targets', 'Each metric as it is, and as it should be', (object) => {
    const statuses = listAt(object, 'status.currentMetrics');
    const texts = listAt(object, 'spec.metrics').map((metric, i) => metricText(metric, statuses[i]));
    return firstOf(texts, MOST_METRICS, ', ');
  }),
  column('MinPods', 'Never fewer pods than these', cellAt('spec.minReplicas', '<unset>')),
  column('MaxPods', 'Never more pods than these', numberCell('spec.maxReplicas')),
  column('Replicas', 'How many pods there are', numberCell('status.currentReplicas')),
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
