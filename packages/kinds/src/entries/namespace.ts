import { type JsonObject, setOwn } from '@tidegate/schema';
import { ageColumn, nameColumn } from '../columns.ts';
import { metaOf } from '../generic-object.ts';
import type { KindEntry } from '../kind-entry.ts';

/** The finalizer in spec.finalizers that the namespace lifecycle removes when everything in it is gone. */
const KUBERNETES = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

const condition = {
  type: 'object',
  name: 'NamespaceCondition',
  fields: {
    type: { type: 'string', required: true, number: 1 },
    status: { type: 'string', required: true, number: 2 },
    lastTransitionTime: { type: 'time', number: 4 },
    reason: { type: 'string', number: 5 },
    message: { type: 'string', number: 6 },
  },
} as const;

export const namespace: KindEntry = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  resource: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  nameIsLabel: true,
  fields: {
    spec: {
      type: 'object',
      number: 2,
      name: 'NamespaceSpec',
      fields: { finalizers: { type: 'list', items: { type: 'string' }, listType: 'atomic', number: 1 } },
    },
    status: {
      type: 'object',
      number: 3,
      name: 'NamespaceStatus',
      fields: {
        phase: { type: 'string', number: 1 },
        conditions: { type: 'list', items: condition, listType: 'map', keys: ['type'], number: 2 },
      },
    },
  },
  subresources: { status: ['get', 'patch', 'update'], finalize: ['update'] },
  columns: [
    nameColumn,
    { name: 'Status', type: 'string', description: 'The status of the namespace', cell: (object) => phaseOf(object) },
    ageColumn,
  ],
  selectableFields: { 'status.phase': phaseOf },
  deleteReturnsObject: true,
  undeletable: ['default', 'kube-system', 'kube-public'],
  prepareCreate: (object) => {
    object.status = { phase: 'Active' };
    object.spec ??= {};
    const spec = object.spec as JsonObject;
    const finalizers = Array.isArray(spec.finalizers) ? spec.finalizers : [];
    spec.finalizers = finalizers.includes(KUBERNETES) ? finalizers : [...finalizers, KUBERNETES];
    labelWithName(object);
  },
  prepareUpdate: (object, old, subresource) => {
    // each path changes its own part: the object its metadata, /status the status, /finalize the finalizers
    if (subresource !== 'finalize') keep(object, old, 'spec');
    if (subresource !== 'status') keep(object, old, 'status');
    labelWithName(object);
  },
  prepareDelete: (object) => {
    object.status ??= {};
    (object.status as JsonObject).phase = 'Terminating';
  },
  held: (object) => {
    const finalizers = (object.spec as JsonObject | undefined)?.finalizers;
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
};

function phaseOf(object: JsonObject): string {
  const phase = (object.status as JsonObject | undefined)?.phase;
  return typeof phase === 'string' ? phase : '';
}

function keep(object: JsonObject, old: JsonObject, field: string): void {
  const before = old[field];
  if (before === undefined) delete object[field];
  else object[field] = before;
}

function labelWithName(object: JsonObject): void {
  const meta = metaOf(object);
  if (meta.name === undefined || meta.name === '') return;
  meta.labels ??= {};
  setOwn(meta.labels, NAME_LABEL, meta.name);
}
