import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { metricFromStored, metricStatusFromStored, metricStatusToStored, metricToStored } from './metric-conversion.ts';

const selector = { matchLabels: { app: 'web' } };
const described = { kind: 'Service', name: 'front' };

/** The same metric in the annotation of version 1, and in version 2. */
const METRICS: ReadonlyArray<readonly [what: string, one: JsonObject, two: JsonObject]> = [
  [
    'a share of a resource',
    { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } },
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  ],
  [
    'an amount of a resource of one container',
    { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'a', targetAverageValue: '1' } },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'a', target: { type: 'AverageValue', averageValue: '1' } },
    },
  ],
  [
    'a metric of pods',
    { type: 'Pods', pods: { metricName: 'rate', selector, targetAverageValue: '10' } },
    {
      type: 'Pods',
      pods: { metric: { name: 'rate', selector }, target: { type: 'AverageValue', averageValue: '10' } },
    },
  ],
  [
    'a metric of an object',
    { type: 'Object', object: { metricName: 'rate', target: described, targetValue: '5' } },
    {
      type: 'Object',
      object: { metric: { name: 'rate' }, describedObject: described, target: { type: 'Value', value: '5' } },
    },
  ],
  [
    'a metric of an object, shared among pods',
    { type: 'Object', object: { metricName: 'rate', target: described, averageValue: '5' } },
    {
      type: 'Object',
      object: {
        metric: { name: 'rate' },
        describedObject: described,
        target: { type: 'AverageValue', averageValue: '5' },
      },
    },
  ],
  [
    'a metric from elsewhere',
    { type: 'External', external: { metricName: 'queue', metricSelector: selector, targetValue: '7' } },
    { type: 'External', external: { metric: { name: 'queue', selector }, target: { type: 'Value', value: '7' } } },
  ],
  [
    'a metric from elsewhere, shared among pods',
    { type: 'External', external: { metricName: 'queue', targetAverageValue: '7' } },
    { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '7' } } },
  ],
];

for (const [what, one, two] of METRICS) {
  test(`${what} is the same in both versions`, () => {
    assert.deepEqual(metricToStored(one), two);
    assert.deepEqual(metricFromStored(two), one);
  });
}

const STATUSES: ReadonlyArray<readonly [what: string, one: JsonObject, two: JsonObject]> = [
  [
    'a resource',
    { type: 'Resource', resource: { name: 'cpu', currentAverageUtilization: 50, currentAverageValue: '1' } },
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '1' } } },
  ],
  [
    'a resource of one container',
    { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'a', currentAverageValue: '1' } },
    { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'a', current: { averageValue: '1' } } },
  ],
  [
    'pods',
    { type: 'Pods', pods: { metricName: 'rate', selector, currentAverageValue: '9' } },
    { type: 'Pods', pods: { metric: { name: 'rate', selector }, current: { averageValue: '9' } } },
  ],
  [
    'an object',
    { type: 'Object', object: { metricName: 'rate', target: described, currentValue: '4', averageValue: '2' } },
    {
      type: 'Object',
      object: { metric: { name: 'rate' }, describedObject: described, current: { value: '4', averageValue: '2' } },
    },
  ],
  [
    'what is elsewhere',
    {
      type: 'External',
      external: { metricName: 'queue', metricSelector: selector, currentValue: '6', currentAverageValue: '3' },
    },
    { type: 'External', external: { metric: { name: 'queue', selector }, current: { value: '6', averageValue: '3' } } },
  ],
];

for (const [what, one, two] of STATUSES) {
  test(`the status of ${what} is the same in both versions`, () => {
    assert.deepEqual(metricStatusToStored(one), two);
    assert.deepEqual(metricStatusFromStored(two), one);
  });
}

test('a metric with few fields is converted without an error', () => {
  assert.deepEqual(metricToStored({ type: 'Object', object: {} }), {
    type: 'Object',
    object: { metric: {}, describedObject: {}, target: { type: 'Value' } },
  });
  assert.deepEqual(metricFromStored({ type: 'Object', object: {} }), { type: 'Object', object: { target: {} } });
  assert.deepEqual(metricStatusFromStored({ type: 'Pods', pods: {} }), { type: 'Pods', pods: {} });
  assert.deepEqual(metricStatusToStored({}), {});
});
