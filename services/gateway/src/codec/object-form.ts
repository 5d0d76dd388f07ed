import type { Item } from '@tidegate/collection';
import { type Column, defaultColumns, fromStored, type Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Accepted } from './negotiate.ts';

/** How the objects of one answer look: whole, metadata only, or as rows of a Table. */
export interface ObjectForm {
  /** whole objects: their stored bytes can be handed on */
  readonly plain: boolean;
  /** what it makes depends on what it made before: it is one watch's own */
  readonly stateful: boolean;
  item(item: Item, json: Buffer): Buffer;
  /** metadata of a bookmark in this form, as JSON */
  bookmark(metadata: JsonObject): string;
}

/** A form for watches may carry state: a Table's columns come in its first event only. */
export function objectForm(kind: Kind, accepted: Accepted, includeObject: string): ObjectForm {
  const { entry, apiVersion } = kind;
  switch (accepted.as) {
    case 'object':
      return {
        plain: kind.stored === kind,
        stateful: false,
        item: (_item, json) =>
          kind.stored === kind ? json : Buffer.from(JSON.stringify(fromStored(kind, parse(json)))),
        bookmark: (metadata) => JSON.stringify({ kind: entry.kind, apiVersion, metadata }),
      };
    case 'metadata':
      return {
        plain: false,
        stateful: false,
        item: (_item, json) => Buffer.from(JSON.stringify(partialObject(parse(json), accepted.group))),
        bookmark: (metadata) =>
          JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: `${accepted.group}/v1`, metadata }),
      };
    case 'table': {
      let first = true;
      const table = (metadata: JsonObject, rows: JsonObject[]) => {
        const columns = first ? { columnDefinitions: columnDefinitions(kind) } : { columnDefinitions: [] };
        first = false;
        return { kind: 'Table', apiVersion: `${accepted.group}/v1`, metadata, ...columns, rows };
      };
      return {
        plain: false,
        stateful: true,
        item: (item, json) => {
          const object = parse(json);
          const { resourceVersion } = object.metadata as JsonObject;
          return Buffer.from(
            JSON.stringify(
              table({ resourceVersion: resourceVersion ?? String(item.revision) }, [
                tableRow(kind, object, includeObject, accepted.group),
              ]),
            ),
          );
        },
        bookmark: (metadata) => {
          const object = { kind: entry.kind, apiVersion, metadata };
          return JSON.stringify(
            table({ resourceVersion: metadata.resourceVersion as string }, [
              { cells: columnsOf(kind).map(() => ''), object },
            ]),
          );
        },
      };
    }
  }
}

function parse(json: Buffer): JsonObject {
  return JSON.parse(json.toString('utf8')) as JsonObject;
}

export function partialObject(object: JsonObject, group: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `${group}/v1`, metadata: object.metadata ?? {} };
}

function columnsOf(kind: Kind): readonly Column[] {
  return kind.stored.entry.columns ?? defaultColumns;
}

export function columnDefinitions(kind: Kind): JsonObject[] {
  return columnsOf(kind).map(({ name, type, format = '', description, priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

export function tableRow(kind: Kind, object: JsonObject, includeObject: string, group: string): JsonObject {
  const cells = columnsOf(kind).map((column) => column.cell(object));
  switch (includeObject) {
    case 'None':
      return { cells };
    case 'Object':
      return { cells, object: fromStored(kind, object) };
    default:
      return { cells, object: partialObject(object, group) };
  }
}
