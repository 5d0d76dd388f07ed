import { ApiError } from './api-error.ts';
import type { FieldError } from './field-error.ts';
import { MAX_ERRORS } from './field-errors.ts';
import { groupResourceName, type ResourceRef } from './resource-ref.ts';
import type { StatusDetails } from './status.ts';

/** One constructor for each reason. The exact messages are only here. */

function refDetails(ref: ResourceRef, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(ref.group === '' ? {} : { group: ref.group }),
    kind: ref.resource,
  };
}

export function badRequest(message: string, cause?: unknown): ApiError {
  return new ApiError('BadRequest', message, { cause });
}

/** The cause is only for logs; the client does not see it. */
export function unauthorized(cause?: Error): ApiError {
  return new ApiError('Unauthorized', 'Unauthorized', { cause });
}

interface ForbiddenRequest {
  user: string;
  verb: string;
  ref?: ResourceRef;
  subresource?: string;
  name?: string;
  namespace?: string;
  path?: string;
  why?: string;
}

export function forbidden(request: ForbiddenRequest): ApiError {
  const why = request.why === undefined || request.why === '' ? '' : `: ${request.why}`;
  const user = escapeHtml(JSON.stringify(request.user));
  if (request.ref === undefined) {
    const path = escapeHtml(JSON.stringify(request.path ?? ''));
    return new ApiError('Forbidden', `forbidden: User ${user} cannot ${request.verb} path ${path}${why}`, {
      details: {},
    });
  }
  const { ref } = request;
  const name = request.name ?? '';
  const resource = request.subresource ? `${ref.resource}/${request.subresource}` : ref.resource;
  const where = request.namespace
    ? `in the namespace ${escapeHtml(JSON.stringify(request.namespace))}`
    : 'at the cluster scope';
  const subject =
    name === '' ? groupResourceName(ref) : `${groupResourceName(ref)} ${escapeHtml(JSON.stringify(name))}`;
  const message = `${subject} is forbidden: User ${user} cannot ${request.verb} resource "${escapeHtml(resource)}" in API group "${ref.group}" ${where}${why}`;
  return new ApiError('Forbidden', message, { details: refDetails(ref, name) });
}

/** No user may do this to this object, whatever their permissions. */
export function forbiddenObject(ref: ResourceRef, name: string, why: string): ApiError {
  return new ApiError('Forbidden', `${groupResourceName(ref)} "${name}" is forbidden: ${why}`, {
    details: refDetails(ref, name),
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : '&gt;'));
}

export function namespaceTerminating(ref: ResourceRef, name: string, namespace: string): ApiError {
  const message = `${groupResourceName(ref)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  return new ApiError('Forbidden', message, {
    details: {
      ...refDetails(ref, name),
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  });
}

export function notFound(ref: ResourceRef, name: string): ApiError {
  return new ApiError('NotFound', `${groupResourceName(ref)} "${name}" not found`, { details: refDetails(ref, name) });
}

/** The resource or subresource does not exist in a group version that is served. */
export function resourceNotFound(): ApiError {
  return new ApiError('NotFound', 'the server could not find the requested resource', { details: {} });
}

const METHOD = 'the server does not allow this method on the requested resource';

export function methodNotAllowed(why = METHOD): ApiError {
  return new ApiError('MethodNotAllowed', why, { details: {} });
}

export function notAcceptable(served: readonly string[]): ApiError {
  return new ApiError('NotAcceptable', `only the following media types are accepted: ${served.join(', ')}`);
}

export function alreadyExists(ref: ResourceRef, name: string, deleting = false): ApiError {
  const prefix = deleting ? 'object is being deleted: ' : '';
  return new ApiError('AlreadyExists', `${prefix}${groupResourceName(ref)} "${name}" already exists`, {
    details: refDetails(ref, name),
  });
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(ref: ResourceRef, name: string, why: string = MODIFIED): ApiError {
  return new ApiError('Conflict', `Operation cannot be fulfilled on ${groupResourceName(ref)} "${name}": ${why}`, {
    details: refDetails(ref, name),
  });
}

export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError('Expired', message, continueToken === undefined ? {} : { continueToken });
}

export function requestEntityTooLarge(detail: string): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: ${detail}`);
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

interface InvalidObject {
  group: string;
  kind: string;
  name: string;
}

/**
 * 422 with a cause for each field, or 400 if a field is missing or has a wrong type. The reason is Invalid in both
 * cases, because clients check it.
 */
export function invalid(object: InvalidObject, found: readonly FieldError[]): ApiError {
  const errors = bounded(found);
  const texts = errors.map((e) => (e.more === undefined ? `${e.field}: ${e.message}` : e.message));
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const kind = object.group === '' ? object.kind : `${object.kind}.${object.group}`;
  const malformed = errors.some(
    ({ type, byRule }) => !byRule && (type === 'FieldValueTypeInvalid' || type === 'FieldValueRequired'),
  );
  return new ApiError('Invalid', `${kind} ${JSON.stringify(object.name)} is invalid: ${list}`, {
    code: malformed && object.group !== 'meta.k8s.io' ? 400 : 422,
    details: {
      ...(object.name === '' ? {} : { name: object.name }),
      ...(object.group === '' ? {} : { group: object.group }),
      ...(object.kind === '' ? {} : { kind: object.kind }),
      causes: errors.map((e) => ({ reason: e.type, message: e.message, field: e.field })),
    },
  });
}

/** The first errors, and one entry that counts the rest. */
function bounded(found: readonly FieldError[]): readonly FieldError[] {
  const all = found.filter(({ more }) => more === undefined);
  const more = found.reduce((sum, one) => sum + (one.more ?? 0), 0) + Math.max(all.length - MAX_ERRORS, 0);
  if (more === 0) return found;
  return [...all.slice(0, MAX_ERRORS), { field: '', type: 'FieldValueTooMany', message: `and ${more} more`, more }];
}

export function tooManyRequests(message: string, retryAfterSeconds = 1): ApiError {
  return new ApiError('TooManyRequests', message, { details: { retryAfterSeconds } });
}

export function internalError(message: string, cause?: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause,
  });
}

interface Unreadable {
  namespace: string;
  name: string;
  why: string;
}

/** the maximum number of objects that one error lists */
const MAX_NAMED = 100;

/** Stored objects that cannot be read, with a cause for each. */
export function unreadable(ref: ResourceRef, objects: readonly Unreadable[]): ApiError {
  const resource = groupResourceName(ref);
  const causes = objects.slice(0, MAX_NAMED).map(({ namespace, name, why }) => {
    const path = namespace === '' ? name : `${namespace}/${name}`;
    return {
      reason: 'StorageReadError',
      message: `${resource} ${JSON.stringify(path)} cannot be read: ${why}`,
      field: path,
    };
  });
  const more = objects.length > MAX_NAMED ? `; and ${objects.length - MAX_NAMED} more` : '';
  const message = `Internal error occurred: ${causes.map((cause) => cause.message).join('; ')}${more}`;
  const [only, ...others] = objects;
  const name = only !== undefined && others.length === 0 ? only.name : '';
  return new ApiError('InternalError', message, { details: { ...refDetails(ref, name), causes } });
}

/** The error that a watch sends when an object that it selects cannot be read. */
export function storageReadError(message: string): ApiError {
  return new ApiError('StorageReadError', message);
}

export function serverTimeout(ref: ResourceRef, verb: string): ApiError {
  return new ApiError(
    'ServerTimeout',
    `The ${verb} operation against ${groupResourceName(ref)} could not be completed at this time, please try again.`,
    { details: { ...refDetails(ref, verb), retryAfterSeconds: 2 } },
  );
}

export function serviceUnavailable(message: string, retryAfterSeconds = 1): ApiError {
  return new ApiError('ServiceUnavailable', message, { details: { retryAfterSeconds } });
}

export function timeout(message = 'request did not complete within the allotted timeout'): ApiError {
  return new ApiError('Timeout', `Timeout: ${message}`, { details: { retryAfterSeconds: 1 } });
}

export function resourceVersionTooLarge(requested: string, current: string): ApiError {
  return new ApiError('Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
