// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

export interface ReadLogRequestInput {
  'after'?: (number | string | Long);
  /**
   * 0 reads to the current revision
   */
  'through'?: (number | string | Long);
  /**
   * "" reads the changes of all resources. With one resource, each batch contains all changes of that resource through
   * its last revision, may be empty, and may contain changes of several epochs.
   */
  'resource'?: (string);
}

export interface ReadLogRequest {
  'after': (number);
  /**
   * 0 reads to the current revision
   */
  'through': (number);
  /**
   * "" reads the changes of all resources. With one resource, each batch contains all changes of that resource through
   * its last revision, may be empty, and may contain changes of several epochs.
   */
  'resource': (string);
}
