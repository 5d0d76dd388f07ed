import type { Item } from '@tidegate/collection';
import { type Column, customDefaultColumns, defaultColumns, fromStored, type Kind, metaSchemas } from '@tidegate/kinds';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { Accepted, Document, Encoding } from '../request/answer-form.ts';

/** The form of the objects of a watch (whole, metadata only, or rows of a Table) and their encoding. */
export interface ObjectForm {
  readonly encoding: Encoding;
  /** whole objects in JSON: the stored bytes are sent unchanged */
  readonly plain: boolean;
  /** the output depends on earlier output, so the form cannot be shared between watches */
  readonly stateful: boolean;
  item(item: Item, json: Buffer): Buffer;
  /** a bookmark with this metadata */
  bookmark(metadata: JsonObject): Buffer;
}

export function objectForm(kind: Kind, accepted: Accepted, includeObject: string): ObjectForm {
  const { encoding } = accepted;
  const { documentOf, bookmarkOf } = shapeOf(kind, accepted, includeObject);
  const encode = (document: Document) => withoutEnd(encoding.document(document, false));
  const plain = encoding.name === 'json' && accepted.as === 'object' && kind.stored === kind;
  return {
    encoding,
    plain,
    stateful: accepted.as === 'table',
    item: (item, json) => (plain ? json : encode(documentOf(parse(json), item))),
    bookmark: (metadata) => encode(bookmarkOf(metadata)),
  };
}

const NEWLINE = 0x0a;

/** Removes the final newline of a JSON document, which must not occur inside an event. */
export function withoutEnd(bytes: Buffer): Buffer {
  return bytes[0] === 0x7b && bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
}

interface Shape {
  documentOf(object: JsonObject, item: Item): Document;
  bookmarkOf(metadata: JsonObject): Document;
}

function shapeOf(kind: Kind, accepted: Accepted, includeObject: string): Shape {
  const { entry, apiVersion, schema } = kind;
  const { metaVersion } = accepted;
  switch (accepted.as) {
    case 'object':
      return {
        documentOf: (object) => ({ value: fromStored(kind, object), schema }),
        bookmarkOf: (metadata) => ({ value: { kind: entry.kind, apiVersion, metadata }, schema }),
      };
    case 'metadata': {
      const document = (object: JsonObject) => ({
        value: partialObject(object, metaVersion),
        schema: metaSchemas.partialObject,
      });
      return { documentOf: document, bookmarkOf: (metadata) => document({ metadata }) };
    }
    case 'table':
      return tableShape(kind, metaVersion, includeObject);
  }
}

/** The first event of a Table watch has the column definitions; later ones do not. */
function tableShape(kind: Kind, metaVersion: string, includeObject: string): Shape {
  let first = true;
  const table = (metadata: JsonObject, row: JsonObject): Document => {
    const columns = { columnDefinitions: first ? columnDefinitions(kind, metaVersion) : null };
    first = false;
    return {
      value: { kind: 'Table', apiVersion: metaVersion, metadata, ...columns, rows: [row] },
      schema: undefined,
    };
  };
  return {
    documentOf: (object, item) => {
      const { resourceVersion = String(item.revision) } = object.metadata as JsonObject;
      return table({ resourceVersion }, tableRow(kind, object, includeObject, metaVersion));
    },
    bookmarkOf: (metadata) => {
      const object = { kind: kind.entry.kind, apiVersion: kind.apiVersion, metadata };
      const { resourceVersion = '' } = metadata;
      return table({ resourceVersion }, { cells: columnsOf(kind, metaVersion).map(() => ''), object });
    },
  };
}

function parse(json: Buffer): JsonObject {
  return parseOwnJson(json);
}

export function partialObject(object: JsonObject, metaVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata: object.metadata ?? {} };
}

/**
 * The columns of a kind, or the default ones: those of Kubernetes for custom kinds under meta.k8s.io, else the spec's.
 */
function columnsOf(kind: Kind, metaVersion: string): readonly Column[] {
  const isCustom = kind.entry.custom !== undefined;
  const usual = isCustom && metaVersion.startsWith(KUBERNETES_META) ? customDefaultColumns : defaultColumns;
  return (isCustom ? kind : kind.stored).entry.columns ?? usual;
}

const KUBERNETES_META = 'meta.k8s.io/';

export function columnDefinitions(kind: Kind, metaVersion: string): JsonObject[] {
  return columnsOf(kind, metaVersion).map(({ name, type, format = '', description, priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

export function tableRow(kind: Kind, object: JsonObject, includeObject: string, metaVersion: string): JsonObject {
  const isVersioned = kind.entry.custom !== undefined && kind.stored !== kind;
  const shown = isVersioned ? fromStored(kind, object) : object;
  const cells = columnsOf(kind, metaVersion).map((column) => column.cell(shown));
  switch (includeObject) {
    case 'None':
      return { cells };
    case 'Object':
      return { cells, object: isVersioned ? shown : fromStored(kind, object) };
    default:
      return { cells, object: partialObject(shown, metaVersion) };
  }
}
