import type { Json, JsonObject } from '@tidegate/schema';

/**
 * One metric of an autoscaler in the form that version 1 writes into its annotations, and in that of version 2:
 *
 *   {"type":"Pods","pods":{"metricName":"rate","targetAverageValue":"10"}}
 *   {"type":"Pods","pods":{"metric":{"name":"rate"},"target":{"type":"AverageValue","averageValue":"10"}}}
 */
export function metricToStored(metric: JsonObject): JsonObject {
  return mapped(metric, {
    resource: (old) => resource(old, target(old.targetAverageUtilization, old.targetAverageValue)),
    containerResource: (old) => ({
      ...resource(old, target(old.targetAverageUtilization, old.targetAverageValue)),
      ...some({ container: old.container }),
    }),
    pods: (old) => ({
      metric: named(old, 'selector'),
      target: { type: 'AverageValue', ...some({ averageValue: old.targetAverageValue }) },
    }),
    object: (old) => ({
      metric: named(old, 'selector'),
      describedObject: old.target ?? {},
      target: {
        type: old.averageValue === undefined ? 'Value' : 'AverageValue',
        ...some({ value: old.targetValue, averageValue: old.averageValue }),
      },
    }),
    external: (old) => ({
      metric: named(old, 'metricSelector'),
      target: {
        type: old.targetValue === undefined ? 'AverageValue' : 'Value',
        ...some({ value: old.targetValue, averageValue: old.targetAverageValue }),
      },
    }),
  });
}

export function metricFromStored(metric: JsonObject): JsonObject {
  const amounts = (source: JsonObject): JsonObject => (source.target ?? {}) as JsonObject;
  const ofResource = (source: JsonObject): JsonObject =>
    some({
      name: source.name,
      targetAverageUtilization: amounts(source).averageUtilization,
      targetAverageValue: amounts(source).averageValue,
    });
  return mapped(metric, {
    resource: ofResource,
    containerResource: (source) => ({ ...ofResource(source), ...some({ container: source.container }) }),
    pods: (source) => ({
      ...unnamed(source, 'selector'),
      ...some({ targetAverageValue: amounts(source).averageValue }),
    }),
    object: (source) => ({
      target: source.describedObject ?? {},
      ...unnamed(source, 'selector'),
      ...some({ targetValue: amounts(source).value, averageValue: amounts(source).averageValue }),
    }),
    external: (source) => ({
      ...unnamed(source, 'metricSelector'),
      ...some({ targetValue: amounts(source).value, targetAverageValue: amounts(source).averageValue }),
    }),
  });
}

export function metricStatusToStored(status: JsonObject): JsonObject {
  const current = (old: JsonObject): JsonObject =>
    some({ averageUtilization: old.currentAverageUtilization, averageValue: old.currentAverageValue });
  return mapped(status, {
    resource: (old) => ({ ...some({ name: old.name }), current: current(old) }),
    containerResource: (old) => ({ ...some({ name: old.name, container: old.container }), current: current(old) }),
    pods: (old) => ({ metric: named(old, 'selector'), current: current(old) }),
    object: (old) => ({
      metric: named(old, 'selector'),
      describedObject: old.target ?? {},
      current: some({ value: old.currentValue, averageValue: old.averageValue }),
    }),
    external: (old) => ({
      metric: named(old, 'metricSelector'),
      current: some({ value: old.currentValue, averageValue: old.currentAverageValue }),
    }),
  });
}

export function metricStatusFromStored(status: JsonObject): JsonObject {
  const amounts = (source: JsonObject): JsonObject => (source.current ?? {}) as JsonObject;
  const ofResource = (source: JsonObject): JsonObject =>
    some({
      name: source.name,
      container: source.container,
      currentAverageUtilization: amounts(source).averageUtilization,
      currentAverageValue: amounts(source).averageValue,
    });
  return mapped(status, {
    resource: ofResource,
    containerResource: ofResource,
    pods: (source) => ({
      ...unnamed(source, 'selector'),
      ...some({ currentAverageValue: amounts(source).averageValue }),
    }),
    object: (source) => ({
      target: source.describedObject ?? {},
      ...unnamed(source, 'selector'),
      ...some({ currentValue: amounts(source).value, averageValue: amounts(source).averageValue }),
    }),
    external: (source) => ({
      ...unnamed(source, 'metricSelector'),
      ...some({ currentValue: amounts(source).value, currentAverageValue: amounts(source).averageValue }),
    }),
  });
}

type Source = 'resource' | 'containerResource' | 'pods' | 'object' | 'external';

/** Converts the only source of a metric. */
function mapped(metric: JsonObject, makers: Readonly<Record<Source, (source: JsonObject) => JsonObject>>): JsonObject {
  const result: JsonObject = some({ type: metric.type });
  for (const [name, make] of Object.entries(makers)) {
    const source = metric[name];
    if (source !== undefined) result[name] = make(source as JsonObject);
  }
  return result;
}

function resource(old: JsonObject, goal: JsonObject): JsonObject {
  return { ...some({ name: old.name }), target: goal };
}

function target(use: Json | undefined, value: Json | undefined): JsonObject {
  const type = use === undefined ? 'AverageValue' : 'Utilization';
  return { type, ...some({ averageUtilization: use, averageValue: value }) };
}

function named(old: JsonObject, selector: string): JsonObject {
  return some({ name: old.metricName, selector: old[selector] });
}

function unnamed(source: JsonObject, selector: string): JsonObject {
  const metric = (source.metric ?? {}) as JsonObject;
  return some({ metricName: metric.name, [selector]: metric.selector });
}

/** Leaves out undefined fields. */
function some(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as JsonObject;
}
