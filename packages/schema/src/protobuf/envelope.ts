import { ReverseWriter } from './reverse-writer.ts';
import { textField } from './scalars.ts';

/** `k8s` and a zero byte: every Protobuf body begins so, and what follows is the message Unknown. */
export const PROTOBUF_PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** of what is inside, when it is not Protobuf */
  readonly contentType?: string;
}

const RAW_TAG = 0x12;
const END = Buffer.from([0x1a, 0x00]);

/**
 * What stands before and after the bytes of an object in a Protobuf body: the message Unknown has its type before them
 * and its two empty texts behind, so that large contents need not be copied.
 */
export function envelope(
  { apiVersion, kind, contentType = '' }: Envelope,
  rawBytes: number,
): { head: Buffer; tail: Buffer } {
  const writer = new ReverseWriter(256);
  writer.varint(rawBytes);
  writer.bytes(Buffer.from([RAW_TAG]));
  const before = writer.length;
  textField(writer, 2, kind);
  textField(writer, 1, apiVersion);
  writer.delimit(1, before);
  writer.bytes(PROTOBUF_PREFIX);
  const head = writer.take();
  textField(writer, 4, contentType);
  writer.bytes(END);
  return { head, tail: writer.take() };
}

export function inEnvelope(type: Envelope, raw: Buffer): Buffer {
  const { head, tail } = envelope(type, raw.length);
  return Buffer.concat([head, raw, tail]);
}
