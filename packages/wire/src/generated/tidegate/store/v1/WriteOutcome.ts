// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

// Original file: proto/tidegate/store/v1/store.proto

export const _tidegate_store_v1_WriteOutcome_Kind = {
  COMMITTED: 0,
  NOT_FOUND: 1,
  ALREADY_EXISTS: 2,
  /**
   * the expected revision is not the current one
   */
  CONFLICT: 3,
  UID_MISMATCH: 4,
  /**
   * a guard failed: guard is its index in the write
   */
  GUARD_FAILED: 5,
  /**
   * the write could not be stored; message gives the reason
   */
  REFUSED: 6,
  /**
   * the store is too busy or cannot reach PostgreSQL; nothing was written
   */
  UNAVAILABLE: 7,
  /**
   * the log no longer shows whether the write was done
   */
  UNKNOWN: 8,
} as const;

export type _tidegate_store_v1_WriteOutcome_KindInput =
  | 'COMMITTED'
  | 0
  | 'NOT_FOUND'
  | 1
  | 'ALREADY_EXISTS'
  | 2
  /**
   * the expected revision is not the current one
   */
  | 'CONFLICT'
  | 3
  | 'UID_MISMATCH'
  | 4
  /**
   * a guard failed: guard is its index in the write
   */
  | 'GUARD_FAILED'
  | 5
  /**
   * the write could not be stored; message gives the reason
   */
  | 'REFUSED'
  | 6
  /**
   * the store is too busy or cannot reach PostgreSQL; nothing was written
   */
  | 'UNAVAILABLE'
  | 7
  /**
   * the log no longer shows whether the write was done
   */
  | 'UNKNOWN'
  | 8

export type _tidegate_store_v1_WriteOutcome_Kind = typeof _tidegate_store_v1_WriteOutcome_Kind[keyof typeof _tidegate_store_v1_WriteOutcome_Kind]

export interface WriteOutcomeInput {
  'kind'?: (_tidegate_store_v1_WriteOutcome_KindInput);
  /**
   * COMMITTED: the revision of this change. Otherwise: the current revision of the object, 0 when there is none.
   */
  'revision'?: (number | string | Long);
  'currentUid'?: (string);
  'guard'?: (number);
  'deleting'?: (boolean);
  'message'?: (string);
}

export interface WriteOutcome {
  'kind': (_tidegate_store_v1_WriteOutcome_Kind);
  /**
   * COMMITTED: the revision of this change. Otherwise: the current revision of the object, 0 when there is none.
   */
  'revision': (number);
  'currentUid': (string);
  'guard': (number);
  'deleting': (boolean);
  'message': (string);
}
