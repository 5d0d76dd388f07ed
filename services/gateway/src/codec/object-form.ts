import type { Item } from '@tidegate/collection';
import {
  type Column,
  customDefaultColumns,
  defaultColumns,
  fromStored,
  isConverted,
  type Kind,
  metaSchemas,
} from '@tidegate/kinds';
import type { Revision } from '@tidegate/revision';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { Accepted, Document, Encoding } from '../request/answer-form.ts';
import type { CommonForm, RecentObjects } from './recent-objects.ts';

/** The form of the objects of a watch (whole, metadata only, or rows of a Table) and their encoding. */
export interface ObjectForm {
  readonly encoding: Encoding;
  /** whole objects in JSON: the stored bytes are sent unchanged */
  readonly plain: boolean;
  /** the output depends on earlier output, so the form cannot be shared between watches */
  readonly stateful: boolean;
  item(item: Item): Buffer;
  /** The object of an event, at the revision of the event. Other watches may have encoded it already. */
  recent(item: Item, revision: Revision): Buffer;
  /** a bookmark with this metadata */
  bookmark(metadata: JsonObject): Buffer;
}

export function objectForm(recent: RecentObjects, kind: Kind, accepted: Accepted, includeObject: string): ObjectForm {
  const { encoding } = accepted;
  const { documentOf, bookmarkOf } = shapeOf(kind, accepted, includeObject);
  const encode = (document: Document) => withoutEnd(encoding.document(document, false));
  const common = commonForm(kind, accepted);
  const item = (one: Item, json: Buffer) => (plain ? json : encode(documentOf(parseOwnJson(json), one)));
  const plain = encoding.name === 'json' && accepted.as === 'object' && kind.stored === kind;
  return {
    encoding,
    plain,
    stateful: accepted.as === 'table',
    item: (one) => item(one, one.json),
    recent: (one, revision) => {
      const json = () => (revision === one.revision ? one.json : one.jsonAt(revision));
      return common === undefined
        ? item(one, json())
        : withoutEnd(recent.encoded(common, { resource: kind.storedAs, revision, uid: one.uid, json }));
    },
    bookmark: (metadata) => encode(bookmarkOf(metadata)),
  };
}

/**
 * The form of an answer or a watch, if others have it in common; undefined: the stored bytes are sent as they are, or
 * each object is converted, or depends on more than its state.
 */
export function commonForm(kind: Kind, { encoding, as, metaVersion }: Accepted): CommonForm | undefined {
  const isStored = kind.stored === kind && !isConverted(kind);
  if (!isStored || as === 'table' || (as === 'object' && encoding.name === 'json')) return undefined;
  const { schema } = kind;
  return {
    name: `${encoding.name} ${as} ${metaVersion}`,
    encode: (object) =>
      as === 'object'
        ? encoding.document({ value: object, schema }, false)
        : encoding.document({ value: partialObject(object, metaVersion), schema: metaSchemas.partialObject }, false),
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
