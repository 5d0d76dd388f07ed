import { ReverseWriter } from './reverse-writer.ts';
import { textField } from './scalars.ts';

/** `k8s` and a zero byte: the start of every Protobuf body. The message Unknown follows. */
export const PROTOBUF_PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** the content type of the object, if it is not Protobuf */
  readonly contentType?: string;
}

const RAW_TAG = 0x12;
const END = Buffer.from([0x1a, 0x00]);

/**
 * The bytes before and after an object in a Protobuf body. The message Unknown has the type before the object and two
 * strings after it. Callers write the three parts in turn, so that large objects need not be copied.
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

const LENGTH_BYTES = 4;

/**
 * An event of a watch around the bytes of its object, preceded by its length in four bytes. The message WatchEvent has
 * the type and a message with the object's bytes.
 */
export function watchEvent(type: string, object: Uint8Array): Buffer {
  writer.reset();
  writer.bytes(object);
  writer.delimit(1, 0);
  writer.delimit(2, 0);
  textField(writer, 1, type);
  const { length } = writer;
  for (let shift = 0; shift < 8 * LENGTH_BYTES; shift += 8) writer.byte((length >>> shift) & 0xff);
  return writer.take();
}

const writer = new ReverseWriter();
