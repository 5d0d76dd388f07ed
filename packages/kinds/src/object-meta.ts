import type { Schema } from '@tidegate/schema';

const text = (number: number): Schema => ({ type: 'string', number });
const texts = (number: number): Schema => ({ type: 'map', values: { type: 'string' }, number });

const ownerReference: Schema = {
  type: 'object',
  name: 'OwnerReference',
  fields: {
    apiVersion: { type: 'string', required: true, number: 5 },
    kind: { type: 'string', required: true, number: 1 },
    name: { type: 'string', required: true, number: 3 },
    uid: { type: 'string', required: true, number: 4 },
    controller: { type: 'bool', number: 6 },
    blockOwnerDeletion: { type: 'bool', number: 7 },
  },
};

const managedFieldsEntry: Schema = {
  type: 'object',
  name: 'ManagedFieldsEntry',
  fields: {
    manager: text(1),
    operation: text(2),
    apiVersion: text(3),
    time: { type: 'time', number: 4 },
    fieldsType: text(6),
    fieldsV1: { type: 'any' },
    subresource: text(8),
  },
};

/** metadata of every object */
export const objectMetaSchema: Schema & { type: 'object' } = {
  type: 'object',
  number: 1,
  name: 'ObjectMeta',
  fields: {
    name: text(1),
    generateName: text(2),
    namespace: text(3),
    selfLink: text(4),
    uid: text(5),
    resourceVersion: text(6),
    generation: { type: 'int64', number: 7 },
    creationTimestamp: { type: 'time', number: 8 },
    deletionTimestamp: { type: 'time', number: 9 },
    deletionGracePeriodSeconds: { type: 'int64', number: 10 },
    labels: texts(11),
    annotations: texts(12),
    ownerReferences: {
      type: 'list',
      items: ownerReference,
      listType: 'map',
      keys: ['uid'],
      patch: { strategies: ['merge'], mergeKey: 'uid' },
      number: 13,
    },
    finalizers: {
      type: 'list',
      items: { type: 'string' },
      listType: 'set',
      patch: { strategies: ['merge'] },
      number: 14,
    },
    managedFields: { type: 'list', items: managedFieldsEntry, listType: 'atomic', number: 17 },
  },
};
