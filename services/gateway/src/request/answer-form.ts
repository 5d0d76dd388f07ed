import type { JsonObject, Schema } from '@tidegate/schema';

export type ObjectSchema = Schema & { type: 'object' };

/** The content of an answer before it is encoded. */
export interface Document {
  /** with kind and apiVersion */
  readonly value: JsonObject;
  /** undefined: the document has no Protobuf form of its own */
  readonly schema: ObjectSchema | undefined;
}

/** One way to write answers and watch events as bytes. */
export interface Encoding {
  readonly name: 'json' | 'yaml' | 'cbor' | 'protobuf';
  /** the names by which clients ask for it; an answer carries the name that its client used */
  readonly mediaTypes: readonly string[];
  /** the media type of a stream of events */
  streamType(mediaType: string): string;
  document(document: Document, pretty: boolean): Buffer;
  /** An event of a watch around the bytes of its object, as `document` makes them. */
  event(type: string, object: Buffer): Buffer;
}

/** The form of an answer, negotiated by the Accept header. */
export interface Accepted {
  readonly encoding: Encoding;
  /** the name that the client used for the encoding */
  readonly mediaType: string;
  readonly as: 'object' | 'table' | 'metadata';
  /** the group and version in which the client requested a Table or metadata; the answer uses the same */
  readonly metaVersion: string;
  readonly pretty: boolean;
}

export type CodingName = 'gzip' | 'zstd';

/** The content coding of an answer, negotiated by the Accept-Encoding header. */
export interface ContentCoding {
  /** the answer depends on Accept-Encoding, and caches must know that */
  readonly varies: boolean;
  /** undefined: the body is not coded */
  readonly name: CodingName | undefined;
  /** smaller bodies are not coded */
  readonly fromBytes: number;
}

export const IDENTITY: ContentCoding = { varies: false, name: undefined, fromBytes: 0 };
