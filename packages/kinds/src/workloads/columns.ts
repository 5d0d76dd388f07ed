import type { JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { labelsText, listAt, NONE, numberAt, numberCell, selectorText } from '../rules/cells.ts';
import { ageColumn, column, integer, nameColumn, wide } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

export const TEMPLATE = 'spec.template.spec';

function containers(path: string): (object: JsonObject) => string {
  return (object) =>
    listAt(object, `${path}.containers`)
      .map(({ name }) => String(name))
      .join(',');
}

function images(path: string): (object: JsonObject) => string {
  return (object) =>
    listAt(object, `${path}.containers`)
      .map(({ image }) => String(image ?? ''))
      .join(',');
}

export const templateColumns = (path: string): Column[] => [
  wide('Containers', 'Names of the containers', containers(path)),
  wide('Images', 'Images of the containers', images(path)),
];

export function selectorColumn(selector: (object: JsonObject) => string): Column {
  return wide('Selector', 'Labels of the selected pods', selector);
}

export const bySelector = selectorColumn((object) => selectorText(valueAt(object, 'spec.selector')));

function replicaColumns(selector: (object: JsonObject) => string): Column[] {
  return [
    nameColumn,
    integer('Desired', 'Desired number of pods', numberCell('spec.replicas')),
    integer('Current', 'Current number of pods', numberCell('status.replicas')),
    integer('Ready', 'Number of ready pods', numberCell('status.readyReplicas')),
    ageColumn,
    ...templateColumns(TEMPLATE),
    selectorColumn(selector),
  ];
}

const readyOfAll = column('Ready', 'Ready and desired pods', (object) => {
  return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;
});

/** The controller of an object, as `daemonset.apps/name`. */
function controller(object: JsonObject): string {
  const owner = listAt(object, 'metadata.ownerReferences').find((reference) => reference.controller === true);
  if (owner === undefined) return NONE;
  const [group] = String(owner.apiVersion).includes('/') ? String(owner.apiVersion).split('/') : [''];
  const kind = String(owner.kind).toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${String(owner.name)}`;
}

export const columns: ByResource<readonly Column[]> = {
  podtemplates: [
    nameColumn,
    column('Containers', 'Names of the containers', containers('template.spec')),
    column('Images', 'Images of the containers', images('template.spec')),
    column('Pod Labels', 'Labels of the pods', (object) => labelsText(valueAt(object, 'template.metadata.labels'))),
  ],
  replicationcontrollers: replicaColumns((object) => labelsText(valueAt(object, 'spec.selector'))),
  'controllerrevisions.apps': [
    nameColumn,
    column('Controller', 'Controller of the revision', controller),
    column('Revision', 'Number of the revision', numberCell('revision')),
    ageColumn,
  ],
  'daemonsets.apps': [
    nameColumn,
    integer('Desired', 'Number of nodes that should run a pod', numberCell('status.desiredNumberScheduled')),
    integer('Current', 'Number of nodes that run a pod', numberCell('status.currentNumberScheduled')),
    integer('Ready', 'Number of nodes with a ready pod', numberCell('status.numberReady')),
    integer(
      'Up-to-date',
      'Number of nodes with a pod of the current template',
      numberCell('status.updatedNumberScheduled'),
    ),
    integer('Available', 'Number of nodes with an available pod', numberCell('status.numberAvailable')),
    column('Node Selector', 'Labels of the selected nodes', (object) =>
      labelsText(valueAt(object, `${TEMPLATE}.nodeSelector`)),
    ),
    ageColumn,
    ...templateColumns(TEMPLATE),
    bySelector,
  ],
  'deployments.apps': [
    nameColumn,
    readyOfAll,
    column('Up-to-date', 'Pods of the current template', numberCell('status.updatedReplicas')),
    column('Available', 'Available pods', numberCell('status.availableReplicas')),
    ageColumn,
    ...templateColumns(TEMPLATE),
    bySelector,
  ],
  'replicasets.apps': replicaColumns((object) => selectorText(valueAt(object, 'spec.selector'))),
  'statefulsets.apps': [nameColumn, readyOfAll, ageColumn, ...templateColumns(TEMPLATE)],
};
