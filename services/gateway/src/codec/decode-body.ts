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
import { ApiError, badRequest } from '@tidegate/status';
import { APPLY_CBOR, CBOR, mediaType } from './media-types.ts';

export interface DecodedObject {
  readonly object: JsonObject;
  readonly notes?: BodyNotes | undefined;
}

/** A request body as an object. Without a Content-Type it is JSON; other types were refused before. */
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
      throw new Error(`a body in ${type} was not refused`);
  }
}

/** An applied configuration. */
export function decodeApplied(schema: Schema, body: Buffer, contentType: string | undefined): DecodedObject {
  const isCbor = mediaType(contentType) === APPLY_CBOR;
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

/** Bodies come as they are: one that is compressed would have to be measured while it is unpacked. */
export function refuseCodedBody(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding === '' || contentEncoding.toLowerCase() === 'identity') return;
  const coding = JSON.stringify(contentEncoding.slice(0, 100));
  throw new ApiError(
    'UnsupportedMediaType',
    `the body of the request has the content encoding ${coding}: send it as it is`,
  );
}
