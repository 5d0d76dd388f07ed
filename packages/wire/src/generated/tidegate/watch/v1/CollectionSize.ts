// Original file: proto/tidegate/watch/v1/watch.proto

import type { Long } from '@grpc/proto-loader';

export interface CollectionSizeInput {
  'resource'?: (string);
  'bytes'?: (number | string | Long);
}

export interface CollectionSize {
  'resource': (string);
  'bytes': (number);
}
