import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import { metaOf } from '../objects/generic-object.ts';
import { podSpecDefaults, templateLabels, withTemplate } from '../pods/defaults.ts';
import { below, defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';

/** Rolling is the usual way, and how far it goes at once is said only when it is chosen. */
function rolling(strategy: JsonObject, how: JsonObject): Json | undefined {
  return strategy.type === 'RollingUpdate' ? { ...how, ...((strategy.rollingUpdate ?? {}) as JsonObject) } : undefined;
}

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

export const defaults: ByResource<SetDefaults> = {
  podtemplates: defaulter(below('template.spec', podSpecDefaults)),
  replicationcontrollers: (object) => {
    withTemplate({})(object);
    const labels = templateLabels(object);
    if (labels === undefined || !isJsonObject(object.spec)) return;
    object.spec.selector ??= { ...labels };
    metaOf(object).labels ??= { ...labels };
  },
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
};
