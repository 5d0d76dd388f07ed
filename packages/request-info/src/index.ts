export { headerElements, mediaTypeOf, splitOutsideQuotes } from './header-elements.ts';
export { parseFlag, parseInt64, Query } from './query.ts';
export { READ_ONLY, READS, type RequestInfo, requestInfo, TALKS, type Verb } from './request-info.ts';
