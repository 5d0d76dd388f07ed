import type { JsonObject, Schema } from '@tidegate/schema';

export type ObjectSchema = Schema & { type: 'object' };

/** What an answer says, before it is written in an encoding. */
export interface Document {
  /** with kind and apiVersion */
  readonly value: JsonObject;
  /** undefined: it has no Protobuf of its own */
  readonly schema: ObjectSchema | undefined;
}

/** One way to write answers and watch events as bytes. */
export interface Encoding {
  readonly name: 'json' | 'yaml' | 'cbor' | 'protobuf';
  /** by these names clients ask for it; each is answered in the name it used */
  readonly mediaTypes: readonly string[];
  /** what a stream of events is called */
  streamType(mediaType: string): string;
  document(document: Document, pretty: boolean): Buffer;
  /** An event of a watch, with the bytes of its object as `document` makes them. */
  event(type: string, object: Buffer): Buffer;
}
