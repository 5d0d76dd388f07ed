import { type Kind, metaOf } from '@tidegate/kinds';
import type { RequestInfo } from '@tidegate/request-info';
import {
  type BodyNotes,
  type CleanOptions,
  clean,
  isJsonObject,
  type Json,
  type JsonObject,
  type Surplus,
  type TypeProblem,
} from '@tidegate/schema';
import { ApiError, badRequest } from '@tidegate/status';
import { type DecodedObject, decodeObject } from '../codec/decode-body.ts';
import { mediaType, STRATEGIC_PATCH } from '../codec/media-types.ts';
import { asStored } from '../codec/stored-form.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { type FieldValidation, fieldValidation } from '../request/write-options.ts';
import { refuseManyValues } from './refuse-many-values.ts';

/** Decodes the body of a request and admits it as an object. */
export function admitBody(request: ResourceRequest): JsonObject {
  const { object, notes } = readBody(request);
  return admitObject(request, object, notes);
}

function readBody({ kind, body, contentType }: ResourceRequest): DecodedObject {
  try {
    return decodeObject(kind.schema, body, contentType);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'BadRequest') throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.entry.kind}): ${error.message}`,
      error,
    );
  }
}

/**
 * A client's object, decoded: of the right kind, with known fields of the right types and with defaults, with the name
 * and namespace of the path, and in the version in which its kind is stored.
 */
export function admitObject(request: ResourceRequest, raw: JsonObject, notes?: BodyNotes): JsonObject {
  const { kind, info } = request;
  refuseOtherKind(kind, raw);
  const value = knownFields(request, raw, notes === undefined ? {} : { notes });
  const { managedFields } = isJsonObject(raw.metadata) ? raw.metadata : {};
  // an empty list is kept: it resets the field owners
  if (Array.isArray(managedFields) && managedFields.length === 0) metaOf(value).managedFields = [];
  value.apiVersion = kind.apiVersion;
  value.kind = kind.entry.kind;
  setIdentity(kind, info, value);
  removeDuplicateOwners(request, value);
  return asStored(kind, value);
}

/**
 * Admits a patched object. A patch of the status cannot change the other parts, so those that it has left as they are
 * in the current object are not admitted again.
 */
export function admitPatched(request: ResourceRequest, object: JsonObject, current: JsonObject): JsonObject {
  const { kind, info } = request;
  const isOfStatus = info.subresource === 'status' && kind.stored === kind && kind.entry.custom === undefined;
  if (!isOfStatus) return admitObject(request, object);
  const isKept = (name: string) => name !== 'status' && object[name] === current[name];
  const changed = Object.fromEntries(Object.entries(object).filter(([name]) => !isKept(name)));
  const admitted = admitObject(request, changed);
  // later stages change metadata, which the current object shares with others
  if (isKept('metadata')) admitted.metadata = { ...(current.metadata as JsonObject) };
  const names = new Set([...Object.keys(object), ...Object.keys(admitted)]);
  const partOf = (name: string) => (isKept(name) && name !== 'metadata' ? current : admitted)[name] as Json;
  return Object.fromEntries([...names].map((name) => [name, partOf(name)]));
}

/**
 * The object with the fields of its kind. Unknown fields are reported according to the fieldValidation of the request.
 */
export function knownFields(request: ResourceRequest, raw: JsonObject, options: CleanOptions = {}): JsonObject {
  const { kind } = request;
  refuseManyValues(kind, raw);
  const level = fieldValidation(request);
  const { value, surplus, problems } = clean(kind.schema, raw, kind.entry.kind, options);
  const [first] = problems;
  if (first !== undefined) {
    const { entry } = kind;
    throw new ApiError(
      'BadRequest',
      `${entry.kind} in version ${JSON.stringify(entry.version)} cannot be handled as a ${entry.kind}: ${first.message}${restoring(request, first)}`,
      {
        details: {
          causes: problems.map(({ field, message }) => ({ reason: 'FieldValueTypeInvalid', message, field })),
        },
      },
    );
  }
  // only an applied configuration keeps its nulls
  reportSurplus(request, level, surplus, { isApplied: options.keepsNulls === true, lines: options.notes?.lines ?? [] });
  return value;
}

/** The message suffix with which Kubernetes rejects a strategic merge patch that replaces a structure by a value. */
function restoring({ contentType }: ResourceRequest, { found = '', wanted = '' }: TypeProblem): string {
  if (mediaType(contentType) !== STRATEGIC_PATCH) return '';
  const given = Object.hasOwn(GO_KINDS, found) ? GO_KINDS[found] : found;
  if (wanted.startsWith('map[')) return `: cannot restore map from ${given}`;
  if (wanted.startsWith('[]')) return `: cannot restore slice from ${given}`;
  return wanted.includes('.') ? `: cannot restore struct from: ${given}` : '';
}

const GO_KINDS: Readonly<Record<string, string>> = { array: 'slice', object: 'map', number: 'int64' };

/** Removes duplicate owner references, with a warning. */
function removeDuplicateOwners({ warnings }: ResourceRequest, object: JsonObject): void {
  const meta = metaOf(object);
  const { ownerReferences: owners = [] } = meta;
  if (owners.length < 2) return;
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  meta.ownerReferences = owners.filter((owner) => {
    const text = JSON.stringify(Object.entries(owner).sort());
    if (seen.has(text)) duplicates.add(owner.uid ?? '');
    return !seen.has(text) && seen.add(text);
  });
  if (duplicates.size > 0) {
    warnings.push(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ' +
        [...duplicates].join(', '),
    );
  }
}

interface SurplusOptions {
  /** text before each field */
  prefix?: string;
  /** for an apply, the error has Kubernetes' wording for apply, too */
  isApplied?: boolean;
  /** further messages with line numbers, for YAML */
  lines?: readonly string[];
}

/** Reports unknown and duplicate fields as the client requested: as warnings or as an error. */
export function reportSurplus(
  request: ResourceRequest,
  level: FieldValidation,
  surplus: readonly Surplus[],
  { prefix = '', isApplied = false, lines = [] }: SurplusOptions = {},
): void {
  if (surplus.length === 0 || level === 'Ignore') return;
  const texts: string[] = [];
  const details = [...lines];
  let room = level === 'Strict' ? STRICT_CHARACTERS : WARN_CHARACTERS;
  for (const { what, field } of surplus) {
    // paths may be as long as the body, and many: only texts that fit are built
    texts.push(`${prefix}${what} field ${JSON.stringify(field.slice(0, room))}`);
    if (isApplied && what === 'unknown') details.push(`.${field.slice(0, room)}: field not declared in schema`);
    room -= field.length;
    if (room <= 0) break;
  }
  const rest = surplus.length - texts.length;
  if (level !== 'Strict') request.warnings.push(...texts);
  else {
    const more = rest > 0 ? `, and ${rest} more` : '';
    const other = details.length > 0 ? ` (${details.join(', ')})` : '';
    throw badRequest(`strict decoding error: ${texts.join(', ')}${more}${other}`);
  }
}

const STRICT_CHARACTERS = 64 << 10;
/** more than all Warning headers together can hold */
const WARN_CHARACTERS = 8 << 10;

/** Sets name and namespace from the path; those in the body must agree. */
export function setIdentity(kind: Kind, info: RequestInfo, object: JsonObject): void {
  const meta = metaOf(object);
  if (kind.entry.namespaced) {
    if (meta.namespace && meta.namespace !== info.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    meta.namespace = info.namespace;
  }
  if (info.name === '') return;
  if (!meta.name && info.verb === 'update') {
    throw nameless(info.name);
  }
  if (!meta.name) meta.name = info.name;
  else if (meta.name !== info.name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${info.name})`);
  }
}

export function nameless(name: string): ApiError {
  return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

export function refuseOtherKind(kind: Kind, raw: JsonObject): void {
  const { apiVersion, kind: name } = raw;
  if (name === 'List' || name === `${kind.entry.kind}List`) {
    throw badRequest(`a request takes one object: send the items of the ${name} one by one`);
  }
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  if (name !== undefined && name !== '' && name !== kind.entry.kind) {
    throw badRequest(`the kind in the data (${String(name)}) does not match the expected kind (${kind.entry.kind})`);
  }
}
