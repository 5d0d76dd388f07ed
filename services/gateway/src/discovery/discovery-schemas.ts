import { listSchema, metaSchemas } from '@tidegate/kinds';
import type { Schema } from '@tidegate/schema';
import type { ObjectSchema } from '../request/answer-form.ts';

const text = (number: number): Schema => ({ type: 'string', number });
const list = (number: number, items: Schema): Schema => ({ type: 'list', items, number });
const texts = (number: number) => list(number, { type: 'string' });
const object = (fields: Readonly<Record<string, Schema>>): ObjectSchema => ({ type: 'object', fields });
/** A message that is encoded even when it is empty. */
const at = (number: number, schema: ObjectSchema): Schema => ({ ...schema, number, default: {} });

const serverAddresses = list(4, object({ clientCIDR: text(1), serverAddress: text(2) }));
const groupVersion = object({ groupVersion: text(1), version: text(2) });
const group = object({
  name: text(1),
  versions: list(2, groupVersion),
  preferredVersion: at(3, groupVersion),
  serverAddressByClientCIDRs: serverAddresses,
});
const resource = object({
  name: text(1),
  namespaced: { type: 'bool', number: 2 },
  kind: text(3),
  verbs: { type: 'list', items: { type: 'string' }, wrapped: true, number: 4 },
  shortNames: texts(5),
  singularName: text(6),
  categories: texts(7),
  group: text(8),
  version: text(9),
  storageVersionHash: text(10),
});
const groupVersionKind = object({ group: text(1), version: text(2), kind: text(3) });
const subresource = object({
  subresource: text(1),
  responseKind: { ...groupVersionKind, number: 2 },
  acceptedTypes: list(3, groupVersionKind),
  verbs: texts(4),
});
const discoveredResource = object({
  resource: text(1),
  responseKind: { ...groupVersionKind, number: 2 },
  scope: text(3),
  singularResource: text(4),
  verbs: texts(5),
  shortNames: texts(6),
  categories: texts(7),
  subresources: list(8, subresource),
});
const discoveredGroup = () =>
  object({
    metadata: metaSchemas.partialObject.fields.metadata as Schema,
    versions: list(2, object({ version: text(1), resources: list(2, discoveredResource), freshness: text(3) })),
  });

let schemas: Readonly<Record<string, ObjectSchema>> | undefined;

/** The Protobuf schemas of discovery documents, by kind. Metadata is resolved on first use. */
export function discoverySchema(kind: string): ObjectSchema | undefined {
  schemas ??= discoverySchemas();
  return schemas[kind];
}

const discoverySchemas = (): Readonly<Record<string, ObjectSchema>> => ({
  APIVersions: object({ versions: texts(1), serverAddressByClientCIDRs: { ...serverAddresses, number: 2 } }),
  APIGroupList: object({ groups: list(1, group) }),
  APIGroup: group,
  APIResourceList: object({ groupVersion: text(1), resources: list(2, resource) }),
  APIGroupDiscoveryList: object({
    metadata: listSchema({ schema: metaSchemas.partialObject }).fields.metadata as Schema,
    items: list(2, discoveredGroup()),
  }),
});
