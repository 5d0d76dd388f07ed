import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { listSchema, metaSchemas } from '@tidegate/kinds';
import {
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  isJsonObject,
  type Json,
  parseOwnJson,
  readCbor,
  type Schema,
} from '@tidegate/schema';
import { decodeObject, decodeYamlOrJson } from '../codec/decode-body.ts';
import { isApplied, mediaType } from '../codec/media-types.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

/** The request body as JSON; undefined: it cannot be decoded, and the request is refused for that. */
export function sentBody({ kind, body, contentType }: ResourceRequest): Json | undefined {
  if (body.length === 0) return undefined;
  try {
    const type = mediaType(contentType);
    if (type.endsWith('patch+json')) return decodeJson(body).value as Json;
    if (isApplied(contentType))
      return (type.endsWith('cbor') ? readCbor(body, kind.schema).value : decodeYamlOrJson(body).value) as Json;
    return decodeObject(kind.schema, body, contentType).object;
  } catch {
    // any error of a decoder: the request is refused with the same error
    return undefined;
  }
}

export interface Written {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly contentEncoding: string;
}

/** The response body as JSON; undefined: it is no object, or too large. */
export function answeredBody(request: ResourceRequest, written: Written, maxBytes: number): Json | undefined {
  try {
    const bytes = uncoded(written, maxBytes);
    const type = mediaType(written.contentType);
    if (type === '' || type.endsWith('/json')) return parseOwnJson(bytes);
    if (type.endsWith('/yaml')) return decodeYaml(bytes).value as Json;
    const schema = answerSchema(request, bytes);
    if (type.endsWith('/cbor')) return readCbor(bytes, schema).value as Json;
    return decodeProtobuf(schema, bytes);
  } catch {
    // an error of a decoder (plain text) or of zlib (too large): the event has no response body
    return undefined;
  }
}

function uncoded({ bytes, contentEncoding }: Written, maxOutputLength: number): Buffer {
  if (contentEncoding === 'gzip') return gunzipSync(bytes, { maxOutputLength });
  return contentEncoding === 'zstd' ? zstdDecompressSync(bytes, { maxOutputLength }) : bytes;
}

const TYPE_BYTES = 64;

function answerSchema({ kind, accepted, info: { verb } }: ResourceRequest, bytes: Buffer): Schema {
  if (bytes.subarray(0, TYPE_BYTES).includes('Status')) return metaSchemas.status;
  const one = accepted.as === 'metadata' ? metaSchemas.partialObject : kind.schema;
  return verb === 'list' || verb === 'deletecollection' ? listSchema({ schema: one }) : one;
}

/** The body without managedFields, which can be the larger part of an object. */
export function withoutOwners(body: Json): Json {
  if (!isJsonObject(body)) return body;
  const { metadata, items } = body;
  return {
    ...body,
    ...(isJsonObject(metadata) && { metadata: { ...metadata, managedFields: undefined as never } }),
    ...(Array.isArray(items) && { items: items.map(withoutOwners) }),
  };
}
