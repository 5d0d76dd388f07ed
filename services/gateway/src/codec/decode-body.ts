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
    case YAML:
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

/** Larger bodies of YAML are read in a thread of their own. */
const LARGE_BYTES = 64 << 10;

/** What large bodies of YAML say, as long as somebody has the body. */
const readAlready = new WeakMap<Uint8Array, Decoded | ApiError>();

/** Reads a large body of YAML, so that nobody else waits when it is asked what it says. */
export async function readAhead(reader: YamlReader, body: Buffer, contentType: string | undefined): Promise<void> {
  const type = mediaType(contentType);
  if (body.length <= LARGE_BYTES || (type !== YAML && type !== APPLY_YAML)) return;
  readAlready.set(body, jsonIn(body) ?? (await reader.read(body)));
}

/** A body of YAML. Most of what programs send as that is JSON, which is read in a tenth of the time. */
export function decodeYamlOrJson(body: Buffer): Decoded {
  const read = readAlready.get(body);
  if (read instanceof ApiError) throw read;
  return read ?? jsonIn(body) ?? decodeYaml(body);
}

/**
 * YAML as the JSON that it is. undefined: it is no JSON after all, or has keys that stand twice or numbers in an unusual
 * form, for which YAML has other words.
 */
function jsonIn(body: Buffer): Decoded | undefined {
  if (body[0] !== OPENING_BRACE) return undefined;
  try {
    const decoded = decodeJson(body);
    const { notes } = decoded;
    return notes === undefined || notes.twice.size + notes.written.size === 0 ? decoded : undefined;
  } catch (error) {
    if (error instanceof ApiError && !(error.cause instanceof TooManyValues)) return undefined;
    throw error;
  }
}

const OPENING_BRACE = 0x7b;
