import protobuf from 'protobufjs';
import { rejectManyParts } from './message-budget.ts';

/**
 * Messages of the hot streams, encoded by protobufjs without plain objects in between. Conversion to plain objects on
 * both sides would double the cost of a message. 64-bit integers are numbers (revisions stay far below 2^53).
 */

// without Long support protobufjs reads 64-bit integers as numbers
protobuf.util.Long = undefined as never;
protobuf.configure();

export interface Codec<T> {
  encode(message: T): Buffer;
  decode(bytes: Uint8Array): T;
  /** Decodes a request. Its sender is not trusted: a message of very many parts is an error. */
  decodeBounded(bytes: Uint8Array): T;
}

/** The types of some contracts; the paths are relative to `directory`, which ends with a slash. */
export function loadTypes(directory: string, paths: string[]): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => `${directory}${target}`;
  root.loadSync(paths);
  root.resolveAll();
  return root;
}

export function directCodec<T>(type: protobuf.Type): Codec<T> {
  emptyBytes(type);
  return {
    encode: (message) => encoded(type, message),
    decode: (bytes) => type.decode(bytes) as unknown as T,
    decodeBounded: (bytes) => {
      rejectManyParts(type, bytes);
      return type.decode(bytes) as unknown as T;
    },
  };
}

const KEPT_BYTES = 4 << 20;
let writer: protobuf.Writer | undefined;

/** One writer for all messages: a new one would begin with 128 bytes and double them until a message fits. */
function encoded(type: protobuf.Type, message: unknown): Buffer {
  const used = writer ?? protobuf.Writer.create();
  // no other message may use the writer meanwhile, nor after a message that could not be encoded
  writer = undefined;
  const bytes = type.encode(message as { [k: string]: unknown }, used).finish() as Buffer;
  if (used.pos <= KEPT_BYTES) writer = used.reset();
  return bytes;
}

const EMPTY = Buffer.alloc(0);

/** Makes absent bytes read as an empty Buffer; protobufjs would give an empty plain array. */
function emptyBytes(type: protobuf.Type, seen = new Set<protobuf.Type>()): void {
  if (seen.has(type)) return;
  seen.add(type);
  for (const field of type.fieldsArray) {
    if (field.type === 'bytes' && !field.repeated) (type.ctor.prototype as Record<string, unknown>)[field.name] = EMPTY;
    if (field.resolvedType instanceof protobuf.Type) emptyBytes(field.resolvedType, seen);
  }
}
