// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

export interface FollowLogRequestInput {
  'after'?: (number | string | Long);
}

export interface FollowLogRequest {
  'after': (number);
}
