import type { Item, ItemForm } from '@tidegate/collection';
import { fromStored, isTypeless, type Kind, metaSchemas } from '@tidegate/kinds';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { ObjectSchema } from '../request/answer-form.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { columnDefinitions, partialObject, tableRow } from './object-form.ts';

/** What a list contains besides its metadata, independent of the encoding. */
interface ListShape {
  heading: JsonObject;
  /** the field of the items */
  items: 'items' | 'rows';
  of: (item: Item) => JsonObject;
  /** the schema of one item */
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
        of: (item) => tableRow(kind, parseOwnJson(item.json), include, metaVersion),
        schema: undefined,
      };
    }
    case 'metadata': {
      const heading = { kind: 'PartialObjectMetadataList', apiVersion: metaVersion };
      return {
        heading,
        items: 'items',
        of: (item) => partialObject(parseOwnJson(item.listed), metaVersion),
        schema: metaSchemas.partialObject,
      };
    }
    case 'object': {
      const heading = { kind: `${kind.entry.kind}List`, apiVersion: kind.apiVersion };
      return { heading, items: 'items', of: (item) => listedObject(kind, item), schema: kind.schema };
    }
  }
}

/** An object as it appears in a list of its kind: items of built-in kinds do not repeat kind and apiVersion. */
export function listedObject(kind: Kind, item: Item): JsonObject {
  if (kind.stored === kind) return parseOwnJson(item.listed);
  const object = fromStored(kind, parseOwnJson(item.json));
  if (!isTypeless(kind)) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...listed } = object;
  return listed;
}

export interface ListMetadata {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

/** Writes a list item by item. The metadata comes first where it is known by then, otherwise last. */
export interface ListForm {
  /** items are written as their stored bytes, separated by commas */
  readonly plain: boolean;
  open(metadata?: ListMetadata): Buffer;
  item(item: Item, first: boolean): Buffer;
  close(empty: boolean, metadata?: ListMetadata): Buffer;
  /** What comes before and after the list, where that depends on the length of the list. */
  readonly frame?: (bytes: number, metadata: ListMetadata) => { head: Buffer; tail: Buffer };
  /** set where items are encoded the same in every list and without separators, so that their bytes can be cached */
  readonly items?: ItemForm;
}
