import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import { metaOf } from '../objects/generic-object.ts';
import { podSpecDefaults, templateLabels, withTemplate } from '../pods/defaults.ts';
import { below, defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';

/** The parameters of a rolling update, only for that strategy. */
function rollingUpdateOf(strategy: JsonObject, how: JsonObject): Json | undefined {
  return strategy.type === 'RollingUpdate' ? { ...how, ...((strategy.rollingUpdate ?? {}) as JsonObject) } : undefined;
}

const statefulSet = withTemplate({
  'spec.replicas': 1,
  'spec.podManagementPolicy': 'OrderedReady',
  // the rolling update has a default only when no strategy is named
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

/** Sets defaults, and then those of the chosen strategy. */
function withRollingUpdate(set: SetDefaults, field: string, how: JsonObject): SetDefaults {
  return (object) => {
    set(object);
    const strategy = isJsonObject(object.spec) ? object.spec[field] : undefined;
    if (!isJsonObject(strategy)) return;
    const steps = rollingUpdateOf(strategy, how);
    if (steps !== undefined) strategy.rollingUpdate = steps;
    // Kubernetes sets zeros here, although there is no rolling update
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
  'daemonsets.apps': withRollingUpdate(
    withTemplate({ 'spec.updateStrategy.type': 'RollingUpdate', 'spec.revisionHistoryLimit': 10 }),
    'updateStrategy',
    { maxUnavailable: 1, maxSurge: 0 },
  ),
  'deployments.apps': withRollingUpdate(
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
