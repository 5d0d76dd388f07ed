import type { FeatureGates } from '@tidegate/feature-gates';
import { LONG_RUNNING_SUBRESOURCES, mediaTypeOf } from '@tidegate/request-info';
import { ApiError, unsupportedMediaType } from '@tidegate/status';
import type { ResourceRequest } from '../request/resource-request.ts';

export const YAML = 'application/yaml';
const JSON_AND_YAML = ['application/json', YAML];
const PROTOBUF = ['application/vnd.cluster.protobuf', 'application/vnd.kubernetes.protobuf'];
export const CBOR = 'application/cbor';
/** the events of a watch in CBOR, one after the other */
export const CBOR_SEQUENCE = 'application/cbor-seq';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_YAML = 'application/apply-patch+yaml';
export const APPLY_CBOR = 'application/apply-patch+cbor';

/** What the body of a request is. The options of a delete are the same for all kinds. */
export type BodyOf = 'object' | 'options' | 'patch';

/**
 * The media types of request bodies. This is the only list of them: the server rejects all others, and the OpenAPI
 * documents are generated from it. Custom kinds have no Protobuf, and no merge keys for a strategic merge patch.
 */
export function bodyTypes(gates: FeatureGates, body: BodyOf, isCustom: boolean): readonly string[] {
  const hasCbor = servesCbor(gates);
  if (body === 'patch') {
    const strategic = isCustom ? [] : [STRATEGIC_PATCH];
    return [JSON_PATCH, MERGE_PATCH, ...strategic, APPLY_YAML, ...(hasCbor ? [APPLY_CBOR] : [])];
  }
  const protobuf = isCustom && body === 'object' ? [] : PROTOBUF;
  return [...JSON_AND_YAML, ...protobuf, ...(hasCbor ? [CBOR] : [])];
}

export function servesCbor(gates: FeatureGates): boolean {
  return gates.enabled('CBORServingAndStorage');
}

const BODIES: Readonly<Record<string, BodyOf>> = {
  create: 'object',
  update: 'object',
  patch: 'patch',
  delete: 'options',
  deletecollection: 'options',
};

/** Throws for a body whose media type this server does not read for such a request. Without one, an object is JSON. */
export function refuseMediaType(gates: FeatureGates, { info, kind, contentType, body }: ResourceRequest): void {
  const bodyOf = LONG_RUNNING_SUBRESOURCES.has(info.subresource) ? undefined : BODIES[info.verb];
  if (bodyOf === undefined || (bodyOf === 'options' && body.length === 0)) return;
  const type = mediaType(contentType);
  if (type === '' && bodyOf !== 'patch') return;
  const accepted = bodyTypes(gates, bodyOf, kind.entry.custom !== undefined);
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted);
}

/** Whether the body is an applied configuration. */
export function isApplied(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === APPLY_YAML || type === APPLY_CBOR;
}

/** The Content-Type cannot be parsed. The error lists the types that are read for every kind. */
export function malformedMediaType(): Error {
  return unsupportedMediaType([...JSON_AND_YAML, ...PROTOBUF]);
}

/** The media type without its parameters. A malformed one is returned as it is; it matches no known type. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === 'application/json') return contentType ?? '';
  return mediaTypeOf(contentType) ?? contentType;
}

/** Compressed bodies are rejected: their size would have to be limited while they are decompressed. */
export function refuseCodedBody(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding === '' || contentEncoding.toLowerCase() === 'identity') return;
  const coding = JSON.stringify(contentEncoding.slice(0, 100));
  throw new ApiError(
    'UnsupportedMediaType',
    `the body of the request has the content encoding ${coding}, which is not supported; send it uncompressed`,
  );
}
