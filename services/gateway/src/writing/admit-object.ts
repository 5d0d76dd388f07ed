import { type Kind, metaOf } from '@tidegate/kinds';
import type { RequestInfo } from '@tidegate/request-info';
import {
  type BodyNotes,
  type CleanOptions,
  clean,
  isJsonObject,
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

/** The object that is the body of a request, as the server takes it. */
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
 * A client's object as the server takes it: of the right kind, with known fields of the right types and with defaults,
 * with the name and namespace of the path, and in the version in which its kind is stored.
 */
export function admitObject(request: ResourceRequest, raw: JsonObject, notes?: BodyNotes): JsonObject {
  const { kind, info } = request;
  refuseOtherKind(kind, raw);
  const value = knownFields(request, raw, notes === undefined ? {} : { notes });
  const { managedFields } = isJsonObject(raw.metadata) ? raw.metadata : {};
  // an empty list is a wish of its own here
  if (Array.isArray(managedFields) && managedFields.length === 0) metaOf(value).managedFields = [];
  value.apiVersion = kind.apiVersion;
  value.kind = kind.entry.kind;
  takePlace(kind, info, value);
  oneOfEachOwner(request, value);
  return asStored(kind, value);
}

/** The object with the fields that its kind has, of the right types; of others the client hears as it asked to. */
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
  // only what is applied keeps its nulls
  tellSurplus(request, level, surplus, { isApplied: options.keepsNulls === true, lines: options.notes?.lines ?? [] });
  return value;
}

/** Clients look for the words in which Kubernetes refuses a strategic merge patch that puts a value in place of a structure. */
function restoring({ contentType }: ResourceRequest, { found = '', wanted = '' }: TypeProblem): string {
  if (mediaType(contentType) !== STRATEGIC_PATCH) return '';
  const given = Object.hasOwn(GO_KINDS, found) ? GO_KINDS[found] : found;
  if (wanted.startsWith('map[')) return `: cannot restore map from ${given}`;
  if (wanted.startsWith('[]')) return `: cannot restore slice from ${given}`;
  return wanted.includes('.') ? `: cannot restore struct from: ${given}` : '';
}

const GO_KINDS: Readonly<Record<string, string>> = { array: 'slice', object: 'map', number: 'int64' };

/** An owner that is named twice in the same words is named once. */
function oneOfEachOwner({ warnings }: ResourceRequest, object: JsonObject): void {
  const meta = metaOf(object);
  const { ownerReferences: owners = [] } = meta;
  if (owners.length < 2) return;
  const seen = new Set<string>();
  const twice = new Set<string>();
  meta.ownerReferences = owners.filter((owner) => {
    const text = JSON.stringify(Object.entries(owner).sort());
    if (seen.has(text)) twice.add(owner.uid ?? '');
    return !seen.has(text) && seen.add(text);
  });
  if (twice.size > 0) {
    warnings.push(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ' +
        [...twice].join(', '),
    );
  }
}

interface SurplusWords {
  /** said before each */
  prefix?: string;
  /** those who apply look for other words, too */
  isApplied?: boolean;
  /** where in YAML it stands */
  lines?: readonly string[];
}

/** What the client said more than is taken, as loudly as it wants to hear it. */
export function tellSurplus(
  request: ResourceRequest,
  level: FieldValidation,
  surplus: readonly Surplus[],
  { prefix = '', isApplied = false, lines = [] }: SurplusWords = {},
): void {
  if (surplus.length === 0 || level === 'Ignore') return;
  const texts: string[] = [];
  const again = [...lines];
  let room = level === 'Strict' ? STRICT_CHARACTERS : WARN_CHARACTERS;
  for (const { what, field } of surplus) {
    // a path may be as long as the body, and there may be as many: texts are made only of what is told
    texts.push(`${prefix}${what} field ${JSON.stringify(field.slice(0, room))}`);
    if (isApplied && what === 'unknown') again.push(`.${field.slice(0, room)}: field not declared in schema`);
    room -= field.length;
    if (room <= 0) break;
  }
  const rest = surplus.length - texts.length;
  if (level !== 'Strict') request.warnings.push(...texts);
  else {
    const more = rest > 0 ? `, and ${rest} more` : '';
    const other = again.length > 0 ? ` (${again.join(', ')})` : '';
    throw badRequest(`strict decoding error: ${texts.join(', ')}${more}${other}`);
  }
}

const STRICT_CHARACTERS = 64 << 10;
/** more than all Warning headers together hold */
const WARN_CHARACTERS = 8 << 10;

/** Where an object goes is said by the path; the body may only agree. */
export function takePlace(kind: Kind, info: RequestInfo, object: JsonObject): void {
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
    throw badRequest(`one object for each request: send the items of the ${name} one by one`);
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
