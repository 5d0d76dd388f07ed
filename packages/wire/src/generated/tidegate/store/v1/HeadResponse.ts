// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

export interface HeadResponseInput {
  'revision'?: (number | string | Long);
  'floor'?: (number | string | Long);
  'epoch'?: (number);
}

export interface HeadResponse {
  'revision': (number);
  'floor': (number);
  'epoch': (number);
}
