import { isJsonObject, type Json, type JsonObject, setOwn } from '@tidegate/schema';
import type { Conversion } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { metricFromStored, metricStatusFromStored, metricStatusToStored, metricToStored } from './metric-conversion.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';

/**
 * Version 1 has one metric, CPU utilization. All other metrics of version 2 are kept in annotations, as are
 * conditions and behaviour, so that an object that is read and written in version 1 loses nothing.
 */
export const autoscalerConversion: Conversion = {
  group: 'autoscaling',
  version: 'v2',
  toStored: (object) => {
    const spec = { ...((object.spec ?? {}) as JsonObject) };
    const status = { ...((object.status ?? {}) as JsonObject) };
    const kept = takeAnnotations(object);
    const metrics = listIn(kept.metrics).map(metricToStored);
    if (spec.targetCPUUtilizationPercentage !== undefined) metrics.push(cpuMetric(spec.targetCPUUtilizationPercentage));
    delete spec.targetCPUUtilizationPercentage;
    if (metrics.length > 0) spec.metrics = metrics;
    if (isJsonObject(kept.behavior)) spec.behavior = withNames(kept.behavior, lowerFirst);
    const current = listIn(kept['current-metrics']).map(metricStatusToStored);
    if (current.length === 0 && status.currentCPUUtilizationPercentage !== undefined) {
      const averageUtilization = status.currentCPUUtilizationPercentage as Json;
      current.push({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } });
    }
    delete status.currentCPUUtilizationPercentage;
    if (current.length > 0) status.currentMetrics = current;
    if (Array.isArray(kept.conditions)) status.conditions = kept.conditions;
    return { ...object, spec, status };
  },
  fromStored: (object) => {
    const { metrics: allMetrics, behavior, ...spec } = { ...((object.spec ?? {}) as JsonObject) };
    const { currentMetrics, conditions, ...status } = { ...((object.status ?? {}) as JsonObject) };
    takeAnnotations(object);
    const metrics = (allMetrics ?? []) as JsonObject[];
    const cpu = metrics.find(isCpuUtilization);
    if (cpu !== undefined) spec.targetCPUUtilizationPercentage = utilizationOf(cpu, 'target') as Json;
    const others = metrics.filter((metric) => !isCpuUtilization(metric)).map(metricFromStored);
    const current = (currentMetrics ?? []) as JsonObject[];
    const currentCpu = current.find((metric) => (metric.resource as JsonObject | undefined)?.name === 'cpu');
    const utilization = currentCpu && utilizationOf(currentCpu, 'current');
    if (utilization !== undefined) status.currentCPUUtilizationPercentage = utilization;
    annotate(object, {
      metrics: others.length > 0 ? others : undefined,
      'current-metrics': current.length > 0 ? current.map(metricStatusFromStored) : undefined,
      conditions: Array.isArray(conditions) && conditions.length > 0 ? conditions : undefined,
      behavior: isJsonObject(behavior) ? withNames(behavior, upperFirst) : undefined,
    });
    return { ...object, spec, status };
  },
};

function isCpuUtilization(metric: JsonObject): boolean {
  return (metric.resource as JsonObject | undefined)?.name === 'cpu' && utilizationOf(metric, 'target') !== undefined;
}

function utilizationOf(metric: JsonObject, where: 'target' | 'current'): Json | undefined {
  const amount = (metric.resource as JsonObject | undefined)?.[where] as JsonObject | undefined;
  return amount?.averageUtilization;
}

function cpuMetric(averageUtilization: Json): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

const NAMES = ['metrics', 'current-metrics', 'conditions', 'behavior'] as const;
type Kept = Partial<Record<(typeof NAMES)[number], Json>>;

/** Reads the annotations and removes them from the object. Annotations that are not JSON are ignored. */
function takeAnnotations(object: JsonObject): Kept {
  const meta = metaOf(object);
  const kept: Kept = {};
  if (meta.annotations === undefined) return kept;
  const annotations = { ...meta.annotations };
  for (const name of NAMES) {
    const text = annotations[PREFIX + name];
    if (text === undefined) continue;
    delete annotations[PREFIX + name];
    try {
      kept[name] = JSON.parse(text) as Json;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  const { annotations: _taken, ...rest } = meta;
  object.metadata = (Object.keys(annotations).length === 0 ? rest : { ...rest, annotations }) as JsonObject;
  return kept;
}

function annotate(object: JsonObject, kept: { [K in keyof Kept]: Json | undefined }): void {
  const meta = metaOf(object);
  for (const [name, value] of Object.entries(kept)) {
    if (value === undefined) continue;
    meta.annotations = { ...meta.annotations, [PREFIX + name]: JSON.stringify(value) };
  }
}

function listIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** In the annotation of behaviour the names of fields begin with a capital letter. */
function withNames(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => withNames(item, rename));
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, item] of Object.entries(value)) setOwn(result, rename(name), withNames(item, rename));
  return result;
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
