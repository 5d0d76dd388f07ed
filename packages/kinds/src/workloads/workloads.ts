import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { warnOfName, warnOfPod } from '../pods/warnings.ts';
import { unchanged } from '../rules/checks.ts';
import { textFields } from '../rules/fields.ts';
import { Place } from '../rules/place.ts';
import type { StatusCounts } from '../rules/status-counts.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { isChanged, type Warnings } from '../rules/warnings.ts';
import { warnOfClaim } from '../volumes/warnings.ts';
import { columns } from './columns.ts';
import { defaults } from './defaults.ts';
import { statefulSetUpdate, workloadChecks } from './validation.ts';

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

/** The warnings of controllers that name their pods after themselves. */
const warnOfPodController: Warnings = (object, warn, old) => {
  if (old === undefined) warnOfName(object, 'Pod names and hostnames', warn);
  if (isChanged(object, old)) warnOfPod(object.field('spec.template'), warn);
};

const warnOfDaemonSet: Warnings = (object, warn, old) => {
  if (isChanged(object, old)) warnOfPod(object.field('spec.template'), warn);
};

const warnOfPodTemplate: Warnings = (object, warn, old) => {
  if (isChanged(object, old)) warnOfPod(object.field('template'), warn);
};

const warnOfStatefulSet: Warnings = (object, warn, old) => {
  const spec = object.field('spec');
  if (isChanged(object, old)) warnOfPod(spec.field('template'), warn);
  const claims = spec.field('volumeClaimTemplates');
  for (const [i, claim] of claims.items().entries()) {
    // Kubernetes reports the spec as if it were the claim, or under its Go name
    const { value } = claim.field('spec');
    warnOfClaim(old === undefined ? new Place(claims, i, value, []) : claim.as('Spec', value), warn);
  }
  if (Number(spec.object.revisionHistoryLimit ?? 0) < 0) {
    const text = 'a negative value retains all historical revisions; a value >= 0 is recommended';
    warn(`spec.revisionHistoryLimit: ${text}`);
  }
};

const warnings: ByResource<Warnings> = {
  podtemplates: warnOfPodTemplate,
  replicationcontrollers: warnOfPodController,
  'deployments.apps': warnOfPodController,
  'replicasets.apps': warnOfPodController,
  'statefulsets.apps': warnOfStatefulSet,
  'daemonsets.apps': warnOfDaemonSet,
};

const rules: ByResource<KindRules> = {
  podtemplates: { deleteReturnsObject: true, generationPaths: ['template'] },
  replicationcontrollers: {
    generationPaths: ['spec'],
    orphansByDefault: {},
    selectableFields: textFields({ 'status.replicas': '0' }),
  },
  'daemonsets.apps': { generationPaths: ['spec'], prepareCreate: firstTemplate, prepareUpdate: countTemplates },
  // annotations are copied to the ReplicaSets, so that they count as a change of the Deployment
  'deployments.apps': {
    generationPaths: ['spec', 'metadata.annotations'],
    resetFields: { status: [['spec'], ['metadata', 'labels']] },
  },
  'replicasets.apps': { generationPaths: ['spec'], selectableFields: textFields({ 'status.replicas': '0' }) },
  'statefulsets.apps': { name: 'label', generationPaths: ['spec'] },
};

const statusCounts: ByResource<StatusCounts> = {
  'deployments.apps': {
    nonNegative: [...REPLICAS, 'updatedReplicas', 'unavailableReplicas', 'collisionCount'],
    withinReplicas: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
    nonDecreasing: 'collisionCount',
  },
  'replicasets.apps': {
    nonNegative: [...REPLICAS, 'fullyLabeledReplicas'],
    withinReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  },
  replicationcontrollers: {
    nonNegative: [...REPLICAS, 'fullyLabeledReplicas'],
    withinReplicas: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  },
  'statefulsets.apps': {
    nonNegative: [...REPLICAS, 'currentReplicas', 'updatedReplicas', 'collisionCount'],
    withinReplicas: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
    nonDecreasing: 'collisionCount',
  },
  'daemonsets.apps': {
    nonNegative: [
      ...[
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
      ],
      ...['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount'],
    ],
    nonDecreasing: 'collisionCount',
  },
};

const updates: ByResource<UpdateChecks> = {
  'deployments.apps': { 'spec.selector': unchanged },
  'replicasets.apps': { 'spec.selector': unchanged },
  'daemonsets.apps': { 'spec.selector': unchanged },
  'statefulsets.apps': { '': statefulSetUpdate },
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
