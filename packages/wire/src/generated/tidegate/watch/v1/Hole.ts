// Original file: proto/tidegate/watch/v1/watch.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A failover of PostgreSQL. Revisions between the two numbers are lost; clients may have seen them.
 */
export interface HoleInput {
  'lastSurviving'?: (number | string | Long);
  'firstNew'?: (number | string | Long);
}

/**
 * A failover of PostgreSQL. Revisions between the two numbers are lost; clients may have seen them.
 */
export interface Hole {
  'lastSurviving': (number);
  'firstNew': (number);
}
