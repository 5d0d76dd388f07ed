import { fileURLToPath } from 'node:url';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { refuseManyParts } from './message-budget.ts';
import type * as m from './messages.ts';

/**
 * The gRPC contracts as grpc-js wants them. Messages are encoded by protobufjs directly: going through plain-object
 * conversion on both sides would double the cost of a message on the hot stream. 64-bit integers are numbers
 * (revisions stay far below 2^53).
 */
const protoRoot = fileURLToPath(new URL('../../../proto/', import.meta.url));
// without Long support protobufjs reads 64-bit integers as numbers
protobuf.util.Long = undefined as never;
protobuf.configure();

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => `${protoRoot}${target}`;
root.loadSync([
  'tidegate/store/v1/store.proto',
  'tidegate/watch/v1/watch.proto',
  'tidegate/health/v1/health.proto',
  'grpc/health/v1/health.proto',
]);
root.resolveAll();

export interface Codec<T> {
  encode(message: T): Buffer;
  decode(bytes: Uint8Array): T;
  /** The same of a message that is not from the one that knows the truth. */
  decodeBounded(bytes: Uint8Array): T;
}

function codec<T>(name: string): Codec<T> {
  const type = root.lookupType(name);
  emptyBytes(type);
  return {
    encode: (message) => encoded(type, message),
    decode: (bytes) => type.decode(bytes) as unknown as T,
    decodeBounded: (bytes) => {
      refuseManyParts(type, bytes);
      return type.decode(bytes) as unknown as T;
    },
  };
}

const KEPT_BYTES = 4 << 20;
let writer: protobuf.Writer | undefined;

/** One writer for all messages: a new one would begin with 128 bytes and double them until a message fits. */
function encoded(type: protobuf.Type, message: unknown): Buffer {
  const used = writer ?? protobuf.Writer.create();
  // while it is in use, and when the message cannot be written, it is nobody else's
  writer = undefined;
  const bytes = type.encode(message as { [k: string]: unknown }, used).finish() as Buffer;
  if (used.pos <= KEPT_BYTES) writer = used.reset();
  return bytes;
}

const EMPTY = Buffer.alloc(0);

/** Absent bytes read as empty bytes; protobufjs would give an empty plain array. */
function emptyBytes(type: protobuf.Type, seen = new Set<protobuf.Type>()): void {
  if (seen.has(type)) return;
  seen.add(type);
  for (const field of type.fieldsArray) {
    if (field.type === 'bytes' && !field.repeated) (type.ctor.prototype as Record<string, unknown>)[field.name] = EMPTY;
    if (field.resolvedType instanceof protobuf.Type) emptyBytes(field.resolvedType, seen);
  }
}

function definition(name: string): ServiceDefinition {
  const service = root.lookupService(name);
  const methods: Record<string, MethodDefinition<unknown, unknown>> = {};
  for (const method of service.methodsArray) {
    const request = codec<unknown>(method.resolvedRequestType!.fullName);
    const response = codec<unknown>(method.resolvedResponseType!.fullName);
    const first = method.name.charAt(0).toLowerCase() + method.name.slice(1);
    methods[first] = {
      path: `/${name}/${method.name}`,
      requestStream: method.requestStream ?? false,
      responseStream: method.responseStream ?? false,
      requestSerialize: request.encode,
      requestDeserialize: request.decodeBounded,
      responseSerialize: response.encode,
      responseDeserialize: response.decode,
    };
  }
  return methods;
}

export const store = definition('tidegate.store.v1.Store');
export const watch = definition('tidegate.watch.v1.Watch');
export const health = definition('tidegate.health.v1.Health');
export const grpcHealth = definition('grpc.health.v1.Health');
export const logBatchCodec = codec<m.LogBatch>('tidegate.store.v1.LogBatch');

/** How a part is, is no secret among parts. */
const ANY_PART = ['gateway', 'store', 'watch', 'health'];

/** Which parts may call what, by the names in their certificates. What does not stand here is nobody's. */
export const callers: Readonly<Record<string, readonly string[]>> = {
  '/tidegate.store.v1.Store/Session': ['gateway'],
  '/tidegate.store.v1.Store/List': ['gateway', 'watch'],
  '/tidegate.store.v1.Store/ReadLog': ['gateway', 'watch'],
  '/tidegate.store.v1.Store/FollowLog': ['watch'],
  '/tidegate.store.v1.Store/DeleteCorrupt': ['gateway'],
  '/tidegate.store.v1.Store/Digest': ['watch'],
  '/tidegate.store.v1.Store/Head': ['gateway', 'watch'],
  '/tidegate.watch.v1.Watch/Follow': ['gateway'],
  '/tidegate.watch.v1.Watch/List': ['gateway'],
  '/tidegate.health.v1.Health/Checks': ['health'],
  '/grpc.health.v1.Health/Check': ANY_PART,
  '/grpc.health.v1.Health/Watch': ANY_PART,
};
