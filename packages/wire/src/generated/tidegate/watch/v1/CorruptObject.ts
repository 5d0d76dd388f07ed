// Original file: proto/tidegate/watch/v1/watch.proto

import type { Long } from '@grpc/proto-loader';

export interface CorruptObjectInput {
  'namespace'?: (string);
  'name'?: (string);
  'revision'?: (number | string | Long);
  'why'?: (string);
}

export interface CorruptObject {
  'namespace': (string);
  'name': (string);
  'revision': (number);
  'why': (string);
}
