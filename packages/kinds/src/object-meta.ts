import type { Schema } from '@tidegate/schema';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'map', values: text };

const ownerReference: Schema = {
  type: 'object',
  name: 'OwnerReference',
  fields: {
    apiVersion: { type: 'string', required: true },
    kind: { type: 'string', required: true },
    name: { type: 'string', required: true },
    uid: { type: 'string', required: true },
    controller: { type: 'bool' },
    blockOwnerDeletion: { type: 'bool' },
  },
};

const managedFieldsEntry: Schema = {
  type: 'object',
  name: 'ManagedFieldsEntry',
  fields: {
    manager: text,
    operation: text,
    apiVersion: text,
    time: { type: 'time' },
    fieldsType: text,
    fieldsV1: { type: 'any' },
    subresource: text,
  },
};

/** metadata of every object */
export const objectMetaSchema: Schema & { type: 'object' } = {
  type: 'object',
  name: 'ObjectMeta',
  fields: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'int64' },
    creationTimestamp: { type: 'time' },
    deletionTimestamp: { type: 'time' },
    deletionGracePeriodSeconds: { type: 'int64' },
    labels: texts,
    annotations: texts,
    ownerReferences: { type: 'list', items: ownerReference, listType: 'map', keys: ['uid'] },
    finalizers: { type: 'list', items: text, listType: 'set' },
    managedFields: { type: 'list', items: managedFieldsEntry, listType: 'atomic' },
  },
};
