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

/** What a client has sent, as JSON; undefined: it cannot be read, and the request is refused for that. */
export function sentBody({ kind, body, contentType }: ResourceRequest): Json | undefined {
  if (body.length === 0) return undefined;
  try {
    const type = mediaType(contentType);
    if (type.endsWith('patch+json')) return decodeJson(body).value as Json;
    if (isApplied(contentType))
      return (type.endsWith('cbor') ? readCbor(body, kind.schema).value : decodeYamlOrJson(body).value) as Json;
    return decodeObject(kind.schema, body, contentType).object;
  } catch {
    // any error of a decoder: the request itself is refused for it
    return undefined;
  }
}

export interface Written {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly contentEncoding: string;
}

/** What a client was answered, as JSON; undefined: it is no object, or larger than may be said. */
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
    // an error of a decoder (it is text), or of zlib (it is larger): the record does without
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

/** The same without the owners of fields, which can be the larger part of an object. */
export function withoutOwners(body: Json): Json {
  if (!isJsonObject(body)) return body;
  const { metadata, items } = body;
  return {
    ...body,
    ...(isJsonObject(metadata) && { metadata: { ...metadata, managedFields: undefined as never } }),
    ...(Array.isArray(items) && { items: items.map(withoutOwners) }),
  };
}
