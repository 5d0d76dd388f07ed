export { callers } from './callers.ts';
export { grpcHealth, health, logBatchCodec, store, watch } from './contracts.ts';
export * from './enums.ts';
export { fromServiceError, toServiceError } from './errors.ts';
export * from './messages.ts';
