export { headerElements, mediaTypeOf, splitOutsideQuotes } from './header-elements.ts';
export { parseFlag, parseInt64, Query } from './query.ts';
export {
  LONG_RUNNING_SUBRESOURCES,
  READ_ONLY,
  READS,
  type RequestInfo,
  requestInfo,
  type Verb,
} from './request-info.ts';
