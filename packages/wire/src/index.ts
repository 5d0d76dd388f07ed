export { type Codec, health, LogBatch, store, watch } from './contracts.ts';
export { fromServiceError, toServiceError } from './errors.ts';
export * from './messages.ts';
