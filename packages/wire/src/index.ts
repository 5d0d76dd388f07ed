export { type Codec, callers, health, logBatchCodec, store, watch } from './contracts.ts';
export { fromServiceError, toServiceError } from './errors.ts';
export * from './messages.ts';
