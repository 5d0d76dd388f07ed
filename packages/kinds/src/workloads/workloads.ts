import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { unchanged } from '../rules/checks.ts';
import { textFields } from '../rules/fields.ts';
import type { StatusCounts } from '../rules/status-counts.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { columns } from './columns.ts';
import { defaults } from './defaults.ts';
import { onlyStatefulFields, workloadChecks } from './validation.ts';
import { warnings } from './warnings.ts';

/** The annotation that counts changes of the pod template, for older controllers. */
const COUNT = 'deprecated.daemonset.template.generation';

function firstTemplate(daemons: JsonObject): void {
  setCount(daemons, 1);
}

function countTemplates(daemons: JsonObject, old: JsonObject, subresource: string): void {
  if (subresource !== '') return;
  const before = Number(metaOf(old).annotations?.[COUNT] ?? 0);
  const count = isDeepStrictEqual(templateOf(daemons), templateOf(old)) ? before : before + 1;
  if (count > 0) setCount(daemons, count);
}

function setCount(daemons: JsonObject, count: number): void {
  const meta = metaOf(daemons);
  meta.annotations = { ...meta.annotations, [COUNT]: String(count) };
}

function templateOf({ spec }: JsonObject): unknown {
  return isJsonObject(spec) ? spec.template : undefined;
}

const REPLICAS = ['replicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'];

const rules: ByResource<KindRules> = {
  podtemplates: { deleteReturnsObject: true, counts: ['template'] },
  replicationcontrollers: {
    counts: ['spec'],
    orphansByDefault: {},
    selectableFields: textFields({ 'status.replicas': '0' }),
  },
  'daemonsets.apps': { counts: ['spec'], prepareCreate: firstTemplate, prepareUpdate: countTemplates },
  // annotations are copied to the ReplicaSets, so that they count as a change of the Deployment
  'deployments.apps': {
    counts: ['spec', 'metadata.annotations'],
    resetFields: { status: [['spec'], ['metadata', 'labels']] },
  },
  'replicasets.apps': { counts: ['spec'], selectableFields: textFields({ 'status.replicas': '0' }) },
  'statefulsets.apps': { name: 'label', counts: ['spec'] },
};

const statusCounts: ByResource<StatusCounts> = {
  'deployments.apps': {
    natural: [...REPLICAS, 'updatedReplicas', 'unavailableReplicas', 'collisionCount'],
    withinReplicas: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
    grows: 'collisionCount',
  },
  'replicasets.apps': {
    natural: [...REPLICAS, 'fullyLabeledReplicas'],
    withinReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  },
  replicationcontrollers: {
    natural: [...REPLICAS, 'fullyLabeledReplicas'],
    withinReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  },
  'statefulsets.apps': {
    natural: [...REPLICAS, 'currentReplicas', 'updatedReplicas', 'collisionCount'],
    withinReplicas: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
    grows: 'collisionCount',
  },
  'daemonsets.apps': {
    natural: [
      ...[
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
      ],
      ...['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount'],
    ],
    grows: 'collisionCount',
  },
};

const updates: ByResource<UpdateChecks> = {
  'deployments.apps': { 'spec.selector': unchanged },
  'replicasets.apps': { 'spec.selector': unchanged },
  'daemonsets.apps': { 'spec.selector': unchanged },
  'statefulsets.apps': { '': onlyStatefulFields },
  'controllerrevisions.apps': { data: unchanged },
};

const usage: ByResource<QuotaUsage> = { replicationcontrollers: { names: ['replicationcontrollers'] } };

const dropped = { 'apps.v1.RollingUpdateStatefulSetStrategy': ['maxUnavailable'] };

export const workloads: Family = {
  rules,
  defaults,
  dropped,
  columns,
  updates,
  statusCounts,
  warnings,
  usage,
  types: workloadChecks,
};
