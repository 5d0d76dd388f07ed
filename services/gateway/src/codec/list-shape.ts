import { fromStored, metaSchemas } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { ResourceRequest } from '../gateway.ts';
import type { ObjectSchema } from './encodings/encoding.ts';
import { columnDefinitions, partialObject, tableRow } from './object-form.ts';

/** What a list looks like beside its metadata, whatever it is encoded in. */
interface ListShape {
  heading: JsonObject;
  /** the field of the items */
  items: 'items' | 'rows';
  of: (object: JsonObject) => JsonObject;
  /** of one of the items */
  schema: ObjectSchema | undefined;
}

export function shapeOf({ kind, info, accepted }: ResourceRequest): ListShape {
  const { as, metaVersion } = accepted;
  switch (as) {
    case 'table': {
      const include = info.query.get('includeObject') ?? '';
      const heading = {
        kind: 'Table',
        apiVersion: metaVersion,
        columnDefinitions: columnDefinitions(kind, metaVersion),
      };
      return {
        heading,
        items: 'rows',
        of: (object) => tableRow(kind, object, include, metaVersion),
        schema: undefined,
      };
    }
    case 'metadata': {
      const heading = { kind: 'PartialObjectMetadataList', apiVersion: metaVersion };
      return {
        heading,
        items: 'items',
        of: (object) => partialObject(object, metaVersion),
        schema: metaSchemas.partialObject,
      };
    }
    case 'object': {
      const heading = { kind: `${kind.entry.kind}List`, apiVersion: kind.apiVersion };
      return { heading, items: 'items', of: (object) => fromStored(kind, object), schema: kind.schema };
    }
  }
}
