// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

// Original file: proto/tidegate/store/v1/store.proto

export const _tidegate_store_v1_DeleteCorruptResponse_Kind = {
  DELETED: 0,
  NOT_FOUND: 1,
  /**
   * the object can be read
   */
  READABLE: 2,
} as const;

export type _tidegate_store_v1_DeleteCorruptResponse_KindInput =
  | 'DELETED'
  | 0
  | 'NOT_FOUND'
  | 1
  /**
   * the object can be read
   */
  | 'READABLE'
  | 2

export type _tidegate_store_v1_DeleteCorruptResponse_Kind = typeof _tidegate_store_v1_DeleteCorruptResponse_Kind[keyof typeof _tidegate_store_v1_DeleteCorruptResponse_Kind]

export interface DeleteCorruptResponseInput {
  'kind'?: (_tidegate_store_v1_DeleteCorruptResponse_KindInput);
  /**
   * of the deletion
   */
  'revision'?: (number | string | Long);
  'uid'?: (string);
}

export interface DeleteCorruptResponse {
  'kind': (_tidegate_store_v1_DeleteCorruptResponse_Kind);
  /**
   * of the deletion
   */
  'revision': (number);
  'uid': (string);
}
