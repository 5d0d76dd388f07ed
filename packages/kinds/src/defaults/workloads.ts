import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { metaOf } from '../generic-object.ts';
import { below, defaulter, IfAbsent } from './default-rules.ts';
import { podSpecDefaults } from './pod.ts';
import { type SetDefaults, templateLabels, withTemplate } from './template.ts';

const INT32_MAX = 2 ** 31 - 1;

/** Rolling is the usual way, and how far it goes at once is said only when it is chosen. */
function rolling(strategy: JsonObject, how: JsonObject): Json | undefined {
  return strategy.type === 'RollingUpdate' ? { ...how, ...((strategy.rollingUpdate ?? {}) as JsonObject) } : undefined;
}

const job = withTemplate({
  'spec.completions': ({ parallelism }) => (parallelism === undefined ? 1 : undefined),
  'spec.parallelism': 1,
  'spec.completionMode': new IfAbsent('NonIndexed'),
  'spec.suspend': false,
  'spec.backoffLimit': ({ backoffLimitPerIndex }) => (backoffLimitPerIndex === undefined ? 6 : INT32_MAX),
  'spec.podReplacementPolicy': new IfAbsent(({ podFailurePolicy }) =>
    podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  ),
  'spec.podFailurePolicy.rules[].onPodConditions[].status': 'True',
  'spec.manualSelector': false,
});

const statefulSet = withTemplate({
  'spec.replicas': 1,
  'spec.podManagementPolicy': 'OrderedReady',
  // who names the strategy says how far it goes as well
  'spec.updateStrategy.rollingUpdate': ({ type }) => (type ? undefined : { partition: 0 }),
  'spec.updateStrategy.rollingUpdate.partition': 0,
  'spec.updateStrategy.type': 'RollingUpdate',
  'spec.revisionHistoryLimit': 10,
  'spec.persistentVolumeClaimRetentionPolicy': {},
  'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Retain',
  'spec.persistentVolumeClaimRetentionPolicy.whenScaled': 'Retain',
  'spec.volumeClaimTemplates[].spec.volumeMode': new IfAbsent('Filesystem'),
  'spec.volumeClaimTemplates[].status.phase': 'Pending',
});

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

export const workloadDefaults: Readonly<Record<string, SetDefaults>> = {
  'daemonsets.apps': rollingOut(
    withTemplate({ 'spec.updateStrategy.type': 'RollingUpdate', 'spec.revisionHistoryLimit': 10 }),
    'updateStrategy',
    { maxUnavailable: 1, maxSurge: 0 },
  ),
  'deployments.apps': rollingOut(
    withTemplate({
      'spec.replicas': 1,
      'spec.strategy.type': 'RollingUpdate',
      'spec.revisionHistoryLimit': 10,
      'spec.progressDeadlineSeconds': 600,
    }),
    'strategy',
    { maxUnavailable: '25%', maxSurge: '25%' },
  ),
  'replicasets.apps': withTemplate({ 'spec.replicas': 1 }),
  'statefulsets.apps': (object) => {
    statefulSet(object);
    const claims = isJsonObject(object.spec) ? object.spec.volumeClaimTemplates : undefined;
    for (const claim of Array.isArray(claims) ? claims.filter(isJsonObject) : []) {
      Object.assign(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    }
  },
  'cronjobs.batch': defaulter({
    'spec.concurrencyPolicy': 'Allow',
    'spec.suspend': false,
    'spec.successfulJobsHistoryLimit': 3,
    'spec.failedJobsHistoryLimit': 1,
    'spec.jobTemplate.spec.podFailurePolicy.rules[].onPodConditions[].status': 'True',
    ...below('spec.jobTemplate.spec.template.spec', podSpecDefaults),
  }),
  'jobs.batch': (object) => {
    job(object);
    const labels = templateLabels(object);
    if (labels !== undefined) metaOf(object).labels ??= { ...labels };
  },
  'horizontalpodautoscalers.v1.autoscaling': defaulter({ 'spec.minReplicas': 1 }),
  'horizontalpodautoscalers.v2.autoscaling': (object) => {
    autoscaler(object);
    const behavior = isJsonObject(object.spec) ? object.spec.behavior : undefined;
    if (!isJsonObject(behavior)) return;
    behavior.scaleUp = { ...SCALE_UP, ...((behavior.scaleUp ?? {}) as JsonObject) };
    behavior.scaleDown = { ...SCALE_DOWN, ...((behavior.scaleDown ?? {}) as JsonObject) };
  },
};

/** Defaults whose last ones depend on the chosen strategy. */
function rollingOut(set: SetDefaults, field: string, how: JsonObject): SetDefaults {
  return (object) => {
    set(object);
    const strategy = isJsonObject(object.spec) ? object.spec[field] : undefined;
    if (!isJsonObject(strategy)) return;
    const steps = rolling(strategy, how);
    if (steps !== undefined) strategy.rollingUpdate = steps;
    // told of, though nothing rolls: as numbers, which are none
    else if (field === 'updateStrategy' && isJsonObject(strategy.rollingUpdate)) {
      strategy.rollingUpdate = { maxUnavailable: 0, maxSurge: 0, ...strategy.rollingUpdate };
    }
  };
}
