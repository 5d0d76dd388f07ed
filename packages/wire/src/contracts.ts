import { fileURLToPath } from 'node:url';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import type protobuf from 'protobufjs';
import { directCodec, loadTypes } from './direct-codec.ts';
import { rejectManyParts } from './message-budget.ts';
import type { LogBatch } from './messages.ts';

/**
 * The gRPC services of proto/. proto-loader reads the contracts and makes the definitions that grpc-js takes. The
 * methods of `DIRECT` have faster serializers (direct-codec.ts). Every server bounds the number of parts of a request
 * before it decodes the request.
 */
const protoRoot = fileURLToPath(new URL('../../../proto/', import.meta.url));
const contracts = [
  'tidegate/store/v1/store.proto',
  'tidegate/watch/v1/watch.proto',
  'tidegate/health/v1/health.proto',
  'grpc/health/v1/health.proto',
];
const loaded = protoLoader.loadSync(contracts, { includeDirs: [protoRoot], longs: Number, defaults: true });
const types = loadTypes(protoRoot, contracts);

/** Methods whose messages are encoded without plain objects in between: they carry objects, lists and watches. */
const DIRECT: readonly string[] = [
  '/tidegate.store.v1.Store/Session',
  '/tidegate.store.v1.Store/List',
  '/tidegate.store.v1.Store/ReadLog',
  '/tidegate.store.v1.Store/FollowLog',
  '/tidegate.watch.v1.Watch/Follow',
  '/tidegate.watch.v1.Watch/List',
];

export const store = definition('tidegate.store.v1.Store');
export const watch = definition('tidegate.watch.v1.Watch');
export const health = definition('tidegate.health.v1.Health');
export const grpcHealth = definition('grpc.health.v1.Health');
export const logBatchCodec = directCodec<LogBatch>(types.lookupType('tidegate.store.v1.LogBatch'));

function definition(name: string): ServiceDefinition {
  const methods: Record<string, MethodDefinition<object, object>> = {};
  for (const method of types.lookupService(name).methodsArray) {
    const byLoader = (loaded[name] as protoLoader.ServiceDefinition)[method.name]!;
    const { path, requestStream, responseStream, originalName } = byLoader;
    const [request, response] = [method.resolvedRequestType!, method.resolvedResponseType!];
    const serializers = DIRECT.includes(path) ? directly(request, response) : throughPlainObjects(byLoader, request);
    methods[originalName!] = { path, requestStream, responseStream, ...serializers };
  }
  return methods;
}

type Serializers = Pick<
  MethodDefinition<object, object>,
  'requestSerialize' | 'requestDeserialize' | 'responseSerialize' | 'responseDeserialize'
>;

function directly(requestType: protobuf.Type, responseType: protobuf.Type): Serializers {
  const request = directCodec<object>(requestType);
  const response = directCodec<object>(responseType);
  return {
    requestSerialize: request.encode,
    requestDeserialize: request.decodeBounded,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
}

function throughPlainObjects(
  { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize }: Serializers,
  requestType: protobuf.Type,
): Serializers {
  const bounded = (bytes: Buffer): object => {
    rejectManyParts(requestType, bytes);
    return requestDeserialize(bytes);
  };
  return { requestSerialize, requestDeserialize: bounded, responseSerialize, responseDeserialize };
}
