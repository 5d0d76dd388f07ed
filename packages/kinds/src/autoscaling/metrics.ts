import { labelProblems, pathSegmentProblems } from '../objects/names.ts';
import { amountOf, containerAmountProblems } from '../rules/amount-checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';

/** The sources of metrics, in the order in which they are checked. */
export const METRIC_SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'];

/** The field with the source of each type of metric. */
const SOURCES: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

/** Checks one metric. The first source is checked, also when it does not belong to the type. */
export const metric: Check = (place) => {
  const type = place.field('type');
  const part = SOURCES[type.text];
  if (type.text === '') type.required('must specify a metric source type');
  if (part === undefined) type.unsupported(Object.keys(SOURCES), type.text);
  else if (!place.has(part)) place.field(part).required('must populate information for the given metric source');
  const given = METRIC_SOURCES.filter((name) => place.has(name));
  const [first] = given;
  if (first !== undefined) CHECKS[first]?.(place.field(first));
  if (given.length < 2) return;
  for (const name of given) {
    if (name !== part) place.field(name).forbidden('must populate the given metric source only');
  }
};

/** Scaling to zero needs an object or external metric, because there are no pods to measure. */
export const scalesToZero: Check = (spec) => {
  if (spec.object.minReplicas !== 0) return;
  const types = spec.field('metrics').items();
  if (types.some(({ object }) => object.type === 'Object' || object.type === 'External')) return;
  spec
    .field('metrics')
    .forbidden('must specify at least one Object or External metric to support scaling to zero replicas');
};

const CHECKS: Readonly<Record<string, (source: Place) => void>> = {
  object: (source) => {
    described(source.field('describedObject'));
    named(source);
    const wanted = target(source);
    if (wanted.has('value') || wanted.has('averageValue')) return;
    wanted.field('averageValue').required('must set either a target value or averageValue');
  },
  external: (source) => {
    named(source);
    const wanted = target(source);
    if (wanted.has('value') && wanted.has('averageValue')) {
      wanted.field('value').forbidden('may not set both a target value for metric and a per-pod target');
    } else if (!wanted.has('value') && !wanted.has('averageValue')) {
      wanted.field('averageValue').required('must set either a target value for metric or a per-pod target');
    }
  },
  pods: (source) => {
    named(source);
    const average = target(source).field('averageValue');
    if (average.value === undefined) average.required('must specify a positive target averageValue');
  },
  resource: (source) => {
    const name = source.field('name');
    if (name.isEmpty) name.required('must specify a resource name');
    ofResource(source);
  },
  containerResource: (source) => {
    const [name, container] = [source.field('name'), source.field('container')];
    if (name.isEmpty) name.required('must specify a resource name');
    else name.invalidFor(containerAmountProblems(name.text));
    if (container.isEmpty) container.required('must specify a container');
    else container.invalidFor(labelProblems(container.text));
    ofResource(source);
  },
};

function described(place: Place): void {
  for (const name of ['kind', 'name']) {
    const field = place.field(name);
    if (field.text === '') field.required();
    else field.invalidFor(pathSegmentProblems(field.text));
  }
  const version = place.field('apiVersion');
  if (version.text.split('/').length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
}

function named(source: Place): void {
  const name = source.field('metric.name');
  if (name.isEmpty) name.required('must specify a metric name');
  else name.invalidFor(pathSegmentProblems(name.text));
}

const TARGETS = new Set(['Utilization', 'Value', 'AverageValue']);

function target(source: Place): Place {
  const wanted = source.field('target');
  const type = wanted.field('type');
  if (type.text === '') type.required('must specify a metric target type');
  if (!TARGETS.has(type.text)) type.invalid('must be either Utilization, Value, or AverageValue', type.text);
  for (const name of ['value', 'averageValue']) {
    const amount = wanted.field(name);
    if (amount.value !== undefined && amountOf(amount.value) <= 0n) amount.invalid('must be positive');
  }
  const utilization = wanted.field('averageUtilization');
  if (utilization.value !== undefined && Number(utilization.value) < 1) utilization.invalid('must be greater than 0');
  return wanted;
}

function ofResource(source: Place): void {
  const wanted = target(source);
  const utilization = wanted.field('averageUtilization');
  if (utilization.value === undefined && !wanted.has('averageValue')) {
    utilization.required('must set either a target raw value or a target utilization');
  } else if (utilization.value !== undefined && wanted.has('averageValue')) {
    wanted.field('averageValue').forbidden('may not set both a target raw value and a target utilization');
  }
}
