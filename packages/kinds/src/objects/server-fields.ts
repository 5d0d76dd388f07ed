import { isDeepStrictEqual } from 'node:util';
import { applyDefaults, type Json, type JsonObject } from '@tidegate/schema';
import type { Author, FieldPaths, Kind, KindEntry } from '../kind-entry.ts';
import { metaOf } from './generic-object.ts';

/** Sets defaults: those of the schema, then those of the kind. */
export function setDefaults({ schema, entry }: Kind, object: JsonObject): void {
  applyDefaults(schema, object);
  entry.setDefaults?.(object);
}

/**
 * Sets the fields that the server decides on creation: an empty status, the first generation, and those of the kind's
 * rules.
 */
export function prepareCreate(kind: Kind, object: JsonObject, author: Author): void {
  const { entry } = kind;
  if (entry.subresources.status !== undefined && !entry.createsWithStatus) emptyStatus(kind, object);
  if (entry.generationPaths !== undefined) metaOf(object).generation = 1;
  entry.prepareCreate?.(object, author);
}

/**
 * Restores the fields that an update may not change. Each path changes its own part: the main path changes the object
 * without its status, /status changes the status alone (and metadata, as far as clients may).
 */
export function prepareUpdate(kind: Kind, object: JsonObject, old: JsonObject, subresource: string): void {
  const { entry } = kind;
  if (subresource === 'status') {
    for (const name of new Set([...Object.keys(object), ...Object.keys(old)])) {
      if (name !== 'status' && name !== 'metadata') keep(object, old, name);
    }
  } else if (subresource === '' && entry.subresources.status !== undefined) keep(object, old, 'status');
  entry.prepareUpdate?.(object, old, subresource);
  // a binding is not a change by the author of the pod
  if (subresource === 'binding') return;
  const before = metaOf(old).generation;
  if (entry.generationPaths?.some((path) => !isDeepStrictEqual(at(object, path), at(old, path)))) {
    metaOf(object).generation = (before ?? 0) + 1;
  }
}

function emptyStatus({ schema }: Kind, object: JsonObject): void {
  const status = schema.fields.status;
  if (status?.default === undefined) delete object.status;
  else {
    object.status = structuredClone(status.default) as Json;
    applyDefaults(status, object.status);
  }
}

function keep(object: JsonObject, old: JsonObject, field: string): void {
  const before = old[field];
  if (before === undefined) delete object[field];
  else object[field] = before;
}

/** The value at a path. Absent and empty values count as equal. */
function at(object: JsonObject, path: string): Json {
  let value: Json | undefined = object;
  for (const step of path.split('.')) value = (value as JsonObject | undefined)?.[step];
  return value ?? {};
}

const STATUS: FieldPaths = [['status']];
const SPEC: FieldPaths = [['spec']];

/** The fields that a request to a path of the object resets, so that the request does not own them. */
export function resetFields(entry: KindEntry, subresource: string): FieldPaths {
  const own = entry.resetFields?.[subresource];
  if (own !== undefined) return own;
  if (subresource === 'status') return SPEC;
  return entry.subresources.status === undefined ? [] : STATUS;
}
