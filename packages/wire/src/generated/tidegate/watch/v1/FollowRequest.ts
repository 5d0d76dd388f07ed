// Original file: proto/tidegate/watch/v1/watch.proto

import type { Long } from '@grpc/proto-loader';

export interface FollowRequestInput {
  'open'?: (string)[];
  'close'?: (string)[];
  /**
   * a request waits for this revision: the watch service reads the log and does not wait for the bus
   */
  'waitFor'?: (number | string | Long);
}

export interface FollowRequest {
  'open': (string)[];
  'close': (string)[];
  /**
   * a request waits for this revision: the watch service reads the log and does not wait for the bus
   */
  'waitFor': (number);
}
