import { spliced } from '@tidegate/collection';
import { type Kind, metaOf, type ObjectMeta, setDefaults, tiesOf, toStored } from '@tidegate/kinds';
import { toRevision } from '@tidegate/revision';
import { type Json, type JsonObject, parseOwnJson, setOwn } from '@tidegate/schema';

/** An object as the store keeps it. */
export interface StoredForm {
  value: Buffer;
  splice: number;
  selection: Uint8Array;
  /** values that no other object may have at the same time (addresses, ports) */
  claims?: string[];
  /** its relations to other objects, for the garbage collector */
  ties?: string[];
}

const NONE = new Uint8Array();

/**
 * Serializes an object once: these bytes are stored, listed and watched. The resourceVersion is left out; it is spliced
 * in right after the uid when the bytes are sent.
 *
 *   {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"…"^,"creationTimestamp":…},"data":{}}
 */
export function storedForm(kind: Kind, object: JsonObject): StoredForm {
  const meta = metaOf(object);
  const identity = members(meta as JsonObject, IDENTITY, true).slice(1);
  const head = `{"kind":"${kind.entry.kind}","apiVersion":"${kind.apiVersion}","metadata":{${identity}`;
  const claims = kind.entry.claims?.(object);
  const ties = tiesOf(meta);
  const tail = `${members(meta as JsonObject, NOT_OTHER_META, false)}}${members(object, TOP, false)}}`;
  return {
    value: Buffer.from(head + tail),
    // names are ASCII once they are validated, but a generateName need not be
    splice: Buffer.byteLength(head),
    selection: selectionBytes(kind, object, meta),
    ...(claims === undefined ? {} : { claims }),
    ...(ties === undefined ? {} : { ties }),
  };
}

const IDENTITY = new Set(['name', 'generateName', 'namespace', 'uid']);
const NOT_OTHER_META = new Set([...IDENTITY, 'resourceVersion']);
const TOP = new Set(['kind', 'apiVersion', 'metadata']);

/** The members of an object whose names are in `names` (or are not), each preceded by a comma. No copy is made. */
function members(object: JsonObject, names: ReadonlySet<string>, among: boolean): string {
  let text = '';
  for (const key of among ? names : Object.keys(object)) {
    if (!among && names.has(key)) continue;
    const value = object[key];
    if (value !== undefined) text += `,${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  return text;
}

/** Labels and selectable fields, kept beside the value so that selectors need not parse it. */
function selectionBytes(kind: Kind, object: JsonObject, meta: ObjectMeta): Uint8Array {
  const labels = meta.labels ?? {};
  const selectable = kind.entry.selectableFields;
  if (Object.keys(labels).length === 0 && selectable === undefined) return NONE;
  const fields: Record<string, string> = {};
  for (const [name, read] of Object.entries(selectable ?? {})) fields[name] = read(object);
  return Buffer.from(JSON.stringify({ labels, fields }));
}

/** The bytes with the resourceVersion, as clients receive them. */
export function withResourceVersion(form: { value: Uint8Array; splice: number }, revision: number): Buffer {
  return spliced(form.value, form.splice, toRevision(revision));
}

/** Parses a stored object. */
export function parseStored(value: Uint8Array, revision: number): JsonObject {
  const object = parseOwnJson(value);
  (object.metadata as JsonObject).resourceVersion = String(revision) satisfies Json;
  return object;
}

/** The object that a reader of the stored bytes would parse, with its members in the same order. */
export function asParsed(kind: Kind, object: JsonObject, revision: number): JsonObject {
  const meta = (object.metadata ?? {}) as JsonObject;
  const metadata: JsonObject = {};
  copyMembers(meta, metadata, IDENTITY, true);
  metadata.resourceVersion = String(revision);
  copyMembers(meta, metadata, NOT_OTHER_META, false);
  const parsed: JsonObject = { kind: kind.entry.kind, apiVersion: kind.apiVersion, metadata };
  copyMembers(object, parsed, TOP, false);
  return parsed;
}

/** Copies the members whose names are in `names` (or are not). */
function copyMembers(from: JsonObject, to: JsonObject, names: ReadonlySet<string>, among: boolean): void {
  for (const key of among ? names : Object.keys(from)) {
    const value = from[key];
    if (value !== undefined && names.has(key) === among) setOwn(to, key, value);
  }
}

/** The object with its defaults, in the version in which its kind is stored. */
export function asStored(kind: Kind, object: JsonObject): JsonObject {
  setDefaults(kind, object);
  if (kind.stored === kind) return object;
  const stored = toStored(kind, object);
  setDefaults(kind.stored, stored);
  return stored;
}
