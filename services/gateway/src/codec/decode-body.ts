import type { FeatureGates } from '@tidegate/feature-gates';
import { mediaTypeOf } from '@tidegate/request-info';
import {
  type BodyNotes,
  type Decoded,
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  isJsonObject,
  type JsonObject,
  readCbor,
  type Schema,
} from '@tidegate/schema';
import { ApiError, badRequest, unsupportedMediaType } from '@tidegate/status';

const CBOR = 'application/cbor';
const ACCEPTED = [
  'application/json',
  'application/yaml',
  'application/vnd.cluster.protobuf',
  'application/vnd.kubernetes.protobuf',
];

/** Custom kinds have no Protobuf. */
export function refuseProtobuf(contentType: string | undefined): void {
  if (/^application\/vnd\..*protobuf$/.test(mediaType(contentType))) throw unsupportedMediaType(ACCEPTED.slice(0, 2));
}

export interface DecodedObject {
  readonly object: JsonObject;
  readonly notes?: BodyNotes | undefined;
}

/** A request body as an object. Without a Content-Type it is JSON. */
export function decodeObject(schema: Schema, body: Buffer, contentType: string | undefined): DecodedObject {
  const { value, notes } = decodeValue(schema, body, mediaType(contentType));
  if (!isJsonObject(value)) throw badRequest('the body of the request must be one object');
  return { object: value, notes };
}

function decodeValue(schema: Schema, body: Buffer, type: string): Decoded {
  switch (type) {
    case '':
    case 'application/json':
      return decodeJson(body);
    case 'application/yaml':
      return decodeYamlOrJson(body);
    case CBOR:
      return readCbor(body, schema);
    case 'application/vnd.cluster.protobuf':
    case 'application/vnd.kubernetes.protobuf':
      return { value: decodeProtobuf(schema, body) };
    default:
      throw unknownBodyType();
  }
}

/** The body is of a type that nobody reads here. */
export function unknownBodyType(): ApiError {
  return unsupportedMediaType(ACCEPTED);
}

/** The media types of an applied configuration; what is YAML may be JSON. */
export const APPLY_TYPES = ['application/apply-patch+yaml', 'application/apply-patch+cbor'];

export function isApplied(contentType: string | undefined): boolean {
  return APPLY_TYPES.includes(mediaType(contentType));
}

/** An applied configuration. */
export function decodeApplied(schema: Schema, body: Buffer, contentType: string | undefined): DecodedObject {
  const isCbor = mediaType(contentType) === APPLY_TYPES[1];
  const { value, notes } = isCbor ? readCbor(body, schema) : decodeYamlOrJson(body);
  if (!isJsonObject(value)) throw badRequest('the body of the request must be one object');
  return { object: value, notes };
}

/**
 * Most YAML that programs send is JSON, which is read in a tenth of the time. What is no JSON after all is YAML, and so is
 * what has keys that stand twice or numbers in an unusual form: YAML has other words for them.
 */
function decodeYamlOrJson(body: Buffer): Decoded {
  if (body[0] !== OPENING_BRACE) return decodeYaml(body);
  try {
    const decoded = decodeJson(body);
    const { notes } = decoded;
    return notes === undefined || notes.twice.size + notes.written.size === 0 ? decoded : decodeYaml(body);
  } catch (error) {
    if (error instanceof ApiError) return decodeYaml(body);
    throw error;
  }
}

const OPENING_BRACE = 0x7b;

/** A body in an encoding whose gate is off is one that this server does not know. */
export function refuseGatedBody(gates: FeatureGates, contentType: string | undefined): void {
  const type = mediaType(contentType);
  const isGated = (type === CBOR || type === APPLY_TYPES[1]) && !gates.enabled('CBORServingAndStorage');
  if (isGated) throw unsupportedMediaType(ACCEPTED);
}

/** Bodies come as they are: one that is compressed would have to be measured while it is unpacked. */
export function refuseCodedBody(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding === '' || contentEncoding.toLowerCase() === 'identity') return;
  const coding = JSON.stringify(contentEncoding.slice(0, 100));
  throw new ApiError(
    'UnsupportedMediaType',
    `the body of the request has the content encoding ${coding}: send it as it is`,
  );
}

/** the media type without its parameters; what is malformed stays as it is, and is none that is known */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === 'application/json') return contentType ?? '';
  return mediaTypeOf(contentType) ?? contentType;
}
