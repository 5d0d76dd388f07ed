import type { JsonObject } from '@tidegate/schema';
import { valueAt } from '../entries/fields.ts';
import type { Column } from '../kind-entry.ts';
import { autoscalerColumns } from './autoscaler.ts';
import {
  cellAt,
  countAt,
  flagAt,
  hasCondition,
  labelsText,
  listAt,
  NONE,
  numberAt,
  numberCell,
  selectorText,
  textAt,
} from './cells.ts';
import { ageColumn, ageOf, boolean, column, integer, nameColumn, shortDuration, wide } from './shared.ts';

const TEMPLATE = 'spec.template.spec';

export function containers(path: string): (object: JsonObject) => string {
  return (object) =>
    listAt(object, `${path}.containers`)
      .map(({ name }) => String(name))
      .join(',');
}

export function images(path: string): (object: JsonObject) => string {
  return (object) =>
    listAt(object, `${path}.containers`)
      .map(({ image }) => String(image ?? ''))
      .join(',');
}

const podColumns = (path: string): Column[] => [
  wide('Containers', 'Names of the containers', containers(path)),
  wide('Images', 'Images of the containers', images(path)),
];

function selectorColumn(selector: (object: JsonObject) => string): Column {
  return wide('Selector', 'Labels of the pods that belong to it', selector);
}

const bySelector = selectorColumn((object) => selectorText(valueAt(object, 'spec.selector')));

export function replicaColumns(selector: (object: JsonObject) => string): Column[] {
  return [
    nameColumn,
    integer('Desired', 'How many pods there should be', numberCell('spec.replicas')),
    integer('Current', 'How many pods there are', numberCell('status.replicas')),
    integer('Ready', 'How many of them are ready', numberCell('status.readyReplicas')),
    ageColumn,
    ...podColumns(TEMPLATE),
    selectorColumn(selector),
  ];
}

const readyOfAll = column('Ready', 'Pods that are ready, of those that should be', (object) => {
  return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;
});

const JOB_STATES = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
  ['', 'Terminating'],
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
] as const;

function jobStatus(job: JsonObject): string {
  const deleting = valueAt(job, 'metadata.deletionTimestamp') !== undefined;
  const state = JOB_STATES.find(([condition]) => (condition === '' ? deleting : hasCondition(job, condition)));
  return state?.[1] ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const done = numberAt(job, 'status.succeeded');
  const all = valueAt(job, 'spec.completions');
  if (all !== undefined) return `${done}/${String(all)}`;
  const parallelism = numberAt(job, 'spec.parallelism');
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration(job: JsonObject): string {
  const start = textAt(job, 'status.startTime');
  const end = textAt(job, 'status.completionTime');
  if (start === '') return '';
  return end === '' ? ageOf(start) : shortDuration(Math.floor((Date.parse(end) - Date.parse(start)) / 1000));
}

/** `daemonset.apps/name` of the one that controls an object. */
function controller(object: JsonObject): string {
  const owner = listAt(object, 'metadata.ownerReferences').find((reference) => reference.controller === true);
  if (owner === undefined) return NONE;
  const [group] = String(owner.apiVersion).includes('/') ? String(owner.apiVersion).split('/') : [''];
  const kind = String(owner.kind).toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${String(owner.name)}`;
}

/** apps, batch, autoscaling and policy. */
export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  'controllerrevisions.apps': [
    nameColumn,
    column('Controller', 'Who made it', controller),
    column('Revision', 'Its number among the revisions', numberCell('revision')),
    ageColumn,
  ],
  'daemonsets.apps': [
    nameColumn,
    integer('Desired', 'Nodes that should have a pod', numberCell('status.desiredNumberScheduled')),
    integer('Current', 'Nodes that have one', numberCell('status.currentNumberScheduled')),
    integer('Ready', 'Nodes whose pod is ready', numberCell('status.numberReady')),
    integer('Up-to-date', 'Nodes whose pod is of the newest template', numberCell('status.updatedNumberScheduled')),
    integer('Available', 'Nodes whose pod has been ready for long enough', numberCell('status.numberAvailable')),
    column('Node Selector', 'Labels of the nodes that get one', (object) =>
      labelsText(valueAt(object, `${TEMPLATE}.nodeSelector`)),
    ),
    ageColumn,
    ...podColumns(TEMPLATE),
    bySelector,
  ],
  'deployments.apps': [
    nameColumn,
    readyOfAll,
    column('Up-to-date', 'Pods of the newest template', numberCell('status.updatedReplicas')),
    column('Available', 'Pods that have been ready for long enough', numberCell('status.availableReplicas')),
    ageColumn,
    ...podColumns(TEMPLATE),
    bySelector,
  ],
  'replicasets.apps': replicaColumns((object) => selectorText(valueAt(object, 'spec.selector'))),
  'statefulsets.apps': [nameColumn, readyOfAll, ageColumn, ...podColumns(TEMPLATE)],
  'cronjobs.batch': [
    nameColumn,
    column('Schedule', 'When jobs are started', cellAt('spec.schedule')),
    column('Timezone', 'By the clock of which zone', cellAt('spec.timeZone', NONE)),
    boolean('Suspend', 'Whether it rests', (object) => (flagAt(object, 'spec.suspend') ? 'True' : 'False')),
    integer('Active', 'Jobs that are running', (object) => countAt(object, 'status.active')),
    column('Last Schedule', 'How long ago a job was started', (object) => {
      const last = textAt(object, 'status.lastScheduleTime');
      return last === '' ? NONE : ageOf(last);
    }),
    ageColumn,
    ...podColumns('spec.jobTemplate.spec.template.spec'),
    selectorColumn((object) => selectorText(valueAt(object, 'spec.jobTemplate.spec.selector'))),
  ],
  'jobs.batch': [
    nameColumn,
    column('Status', 'How far the job is', jobStatus),
    column('Completions', 'Pods that have done it, of those that should', jobCompletions),
    column('Duration', 'How long it took, or has been running', jobDuration),
    ageColumn,
    ...podColumns(TEMPLATE),
    bySelector,
  ],
  'horizontalpodautoscalers.autoscaling': autoscalerColumns,
  'poddisruptionbudgets.policy': [
    nameColumn,
    column('Min Available', 'Pods that must stay available', cellAt('spec.minAvailable', 'N/A')),
    column('Max Unavailable', 'Pods that may be away', cellAt('spec.maxUnavailable', 'N/A')),
    integer('Allowed Disruptions', 'Pods that may be evicted now', numberCell('status.disruptionsAllowed')),
    ageColumn,
  ],
};
