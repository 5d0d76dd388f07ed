export { parseFlag, Query } from './query.ts';
export { type RequestInfo, requestInfo, type Verb } from './request-info.ts';
