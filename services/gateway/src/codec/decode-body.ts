import type { FeatureGates } from '@tidegate/feature-gates';
import { decodeCbor, decodeProtobuf, isJsonObject, type JsonObject, type Schema } from '@tidegate/schema';
import { badRequest, unsupportedMediaType } from '@tidegate/status';
import { CORE_SCHEMA, load } from 'js-yaml';

const CBOR = 'application/cbor';
const ACCEPTED = [
  'application/json',
  'application/yaml',
  'application/vnd.cluster.protobuf',
  'application/vnd.kubernetes.protobuf',
];

/** A request body as an object. Without a Content-Type it is JSON. */
export function decodeObject(schema: Schema, body: Buffer, contentType: string | undefined): JsonObject {
  const value = decodeValue(schema, body, mediaType(contentType));
  if (!isJsonObject(value)) throw badRequest('the body of the request must be one object');
  return value;
}

function decodeValue(schema: Schema, body: Buffer, type: string): unknown {
  switch (type) {
    case '':
    case 'application/json':
      return parseJson(body);
    case 'application/yaml':
      return parseYaml(body);
    case CBOR:
      return decodeCbor(body, schema);
    case 'application/vnd.cluster.protobuf':
    case 'application/vnd.kubernetes.protobuf':
      return decodeProtobuf(schema, body);
    default:
      throw unsupportedMediaType(ACCEPTED);
  }
}

/** The media types of an applied configuration; what is YAML may be JSON. */
export const APPLY_TYPES = ['application/apply-patch+yaml', 'application/apply-patch+cbor'];

export function isApplied(contentType: string | undefined): boolean {
  return APPLY_TYPES.includes(mediaType(contentType));
}

/** An applied configuration. */
export function decodeApplied(schema: Schema, body: Buffer, contentType: string | undefined): JsonObject {
  const isCbor = mediaType(contentType) === APPLY_TYPES[1];
  const value = isCbor ? decodeCbor(body, schema) : parseYaml(body);
  if (!isJsonObject(value)) throw badRequest('the body of the request must be one object');
  return value;
}

/** A body in an encoding whose gate is off is one that this server does not know. */
export function refuseGatedBody(gates: FeatureGates, contentType: string | undefined): void {
  const type = mediaType(contentType);
  const isGated = (type === CBOR || type === APPLY_TYPES[1]) && !gates.enabled('CBORServingAndStorage');
  if (isGated) throw unsupportedMediaType(ACCEPTED);
}

/** the media type without its parameters */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === 'application/json') return contentType ?? '';
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw badRequest(`couldn't parse the body of the request as JSON: ${(error as Error).message}`, error);
  }
}

/** Anchors are not expanded more often than the size of the body allows: an alias bomb stays as small as it came. */
export function parseYaml(body: Uint8Array): unknown {
  try {
    const text = utf8.decode(body);
    if (/(^|[\s[{,:-])\*[^\s,[\]{}]+/.test(text)) throw new Error('aliases are not allowed');
    return load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    throw badRequest(`couldn't parse the body of the request as YAML: ${(error as Error).message}`, error);
  }
}
