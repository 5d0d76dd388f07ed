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
  TooManyValues,
} from '@tidegate/schema';
import { ApiError, badRequest } from '@tidegate/status';
import type { YamlReader } from './large-yaml/yaml-reader.ts';
import { APPLY_CBOR, APPLY_YAML, CBOR, mediaType, YAML } from './media-types.ts';

export interface DecodedObject {
  readonly object: JsonObject;
  readonly notes?: BodyNotes | undefined;
}

/** Decodes a request body as one object. Without a Content-Type it is JSON; unknown types were rejected earlier. */
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
    case YAML:
      return decodeYamlOrJson(body);
    case CBOR:
      return readCbor(body, schema);
    case 'application/vnd.cluster.protobuf':
    case 'application/vnd.kubernetes.protobuf':
      return { value: decodeProtobuf(schema, body) };
    default:
      throw new Error(`a body in ${type} should have been rejected earlier`);
  }
}

/** Decodes the body of an apply. */
export function decodeApplied(schema: Schema, body: Buffer, contentType: string | undefined): DecodedObject {
  const isCbor = mediaType(contentType) === APPLY_CBOR;
  const { value, notes } = isCbor ? readCbor(body, schema) : decodeYamlOrJson(body);
  if (!isJsonObject(value)) throw badRequest('the body of the request must be one object');
  return { object: value, notes };
}

/** Larger bodies of YAML are parsed in a worker thread. */
const LARGE_BYTES = 64 << 10;

/** Results for large YAML bodies, kept as long as the body itself is referenced. */
const decodedAhead = new WeakMap<Uint8Array, Decoded | ApiError>();

/** Parses a large YAML body in the worker thread, so that decoding it later does not block other requests. */
export async function parseAhead(reader: YamlReader, body: Buffer, contentType: string | undefined): Promise<void> {
  const type = mediaType(contentType);
  if (body.length <= LARGE_BYTES || (type !== YAML && type !== APPLY_YAML)) return;
  decodedAhead.set(body, jsonIn(body) ?? (await reader.read(body)));
}

/** Decodes a YAML body. Most clients send JSON under this type, and parsing that takes a tenth of the time. */
export function decodeYamlOrJson(body: Buffer): Decoded {
  const read = decodedAhead.get(body);
  if (read instanceof ApiError) throw read;
  return read ?? jsonIn(body) ?? decodeYaml(body);
}

/**
 * Decodes the body if it is JSON. undefined: it is not JSON, or it has duplicate keys or unusual numbers, for which
 * YAML has other error texts.
 */
function jsonIn(body: Buffer): Decoded | undefined {
  if (body[0] !== OPENING_BRACE) return undefined;
  try {
    const decoded = decodeJson(body);
    const { notes } = decoded;
    return notes === undefined || notes.repeatedKeys.size + notes.written.size === 0 ? decoded : undefined;
  } catch (error) {
    if (error instanceof ApiError && !(error.cause instanceof TooManyValues)) return undefined;
    throw error;
  }
}

const OPENING_BRACE = 0x7b;
