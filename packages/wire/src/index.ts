export { type Codec, callers, grpcHealth, health, logBatchCodec, store, watch } from './contracts.ts';
export { fromServiceError, toServiceError } from './errors.ts';
export * from './messages.ts';
