import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { builtInRegistry, fromStored, type Kind, toStored } from '../index.ts';

const autoscalers = builtInRegistry().find('autoscaling', 'v1', 'horizontalpodautoscalers') as Kind;

const stored: JsonObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', annotations: { mine: '1' } },
  spec: {
    maxReplicas: 5,
    scaleTargetRef: { kind: 'Deployment', name: 'a' },
    metrics: [
      { type: 'Pods', pods: { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue: '10' } } },
      {
        type: 'External',
        external: {
          metric: { name: 'q', selector: { matchLabels: { a: 'b' } } },
          target: { type: 'Value', value: '3' },
        },
      },
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
    ],
    behavior: { scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] } },
  },
  status: {
    desiredReplicas: 1,
    currentReplicas: 1,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7, averageValue: '1m' } } },
    ],
    conditions: [{ type: 'AbleToScale', status: 'True' }],
  },
};

test('an autoscaler in version 1 shows the CPU utilization, and keeps the rest in annotations', () => {
  const shown = fromStored(autoscalers, structuredClone(stored));
  assert.equal(shown.apiVersion, 'autoscaling/v1');
  assert.deepEqual(shown.spec, {
    maxReplicas: 5,
    scaleTargetRef: { kind: 'Deployment', name: 'a' },
    targetCPUUtilizationPercentage: 50,
  });
  assert.deepEqual(shown.status, { desiredReplicas: 1, currentReplicas: 1, currentCPUUtilizationPercentage: 7 });
  const { annotations } = shown.metadata as { annotations: Record<string, string> };
  assert.deepEqual(JSON.parse(annotations['autoscaling.alpha.kubernetes.io/metrics'] as string), [
    { type: 'Pods', pods: { metricName: 'rate', targetAverageValue: '10' } },
    { type: 'External', external: { metricName: 'q', metricSelector: { matchLabels: { a: 'b' } }, targetValue: '3' } },
  ]);
  assert.equal(
    annotations['autoscaling.alpha.kubernetes.io/behavior'],
    '{"ScaleUp":{"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}]}}',
  );
});

test('an autoscaler that is read and written in version 1 loses nothing', () => {
  const shown = fromStored(autoscalers, structuredClone(stored));
  assert.deepEqual(toStored(autoscalers, shown), stored);
});

test('an annotation of an autoscaler that is not JSON is ignored', () => {
  const object = {
    metadata: { name: 'a', annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '{' } },
    spec: { maxReplicas: 1 },
  };
  assert.deepEqual(toStored(autoscalers, object).spec, { maxReplicas: 1 });
});
