import type { Schema } from '@tidegate/schema';
import { TypeTable } from '../facts/type-table.ts';
import type { Kind } from '../kind-entry.ts';

type ObjectSchema = Schema & { type: 'object' };

const types = new TypeTable();

/** Resolved at its first use. */
function meta(name: string): ObjectSchema {
  return types.type(`meta.v1/${name}`) as ObjectSchema;
}

/** Types of responses that do not belong to a kind. */
export const metaSchemas = {
  get status(): ObjectSchema {
    return meta('Status');
  },
  get listMeta(): ObjectSchema {
    return meta('ListMeta');
  },
  get objectMeta(): ObjectSchema {
    return meta('ObjectMeta');
  },
  /** an object with its metadata alone */
  get partialObject(): ObjectSchema {
    return PARTIAL_OBJECT;
  },
} as const;

/**
 * The field `metadata` with number 1, which is written even when it is empty. The type is shared, so it is the
 * prototype.
 */
function metadataField(name: string): Schema {
  return Object.create(meta(name), { number: { value: 1 }, default: { value: {} } }) as Schema;
}

const PARTIAL_OBJECT: ObjectSchema = {
  type: 'object',
  name: 'PartialObjectMetadata',
  get fields() {
    return { metadata: metadataField('ObjectMeta') };
  },
};

const lists = new WeakMap<Schema, ObjectSchema>();

/** A list of a kind's objects. */
export function listSchema({ schema }: Pick<Kind, 'schema'>): ObjectSchema {
  let list = lists.get(schema);
  if (list === undefined) {
    list = {
      type: 'object',
      fields: { metadata: metadataField('ListMeta'), items: { type: 'list', items: schema, number: 2 } },
    };
    lists.set(schema, list);
  }
  return list;
}
