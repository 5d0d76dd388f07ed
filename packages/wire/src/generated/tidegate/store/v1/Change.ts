// Original file: proto/tidegate/store/v1/store.proto

import type { KeyInput as _tidegate_store_v1_KeyInput, Key as _tidegate_store_v1_Key } from '../../../tidegate/store/v1/Key.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: proto/tidegate/store/v1/store.proto

export const _tidegate_store_v1_Change_Kind = {
  CREATE: 0,
  UPDATE: 1,
  DELETE: 2,
} as const;

export type _tidegate_store_v1_Change_KindInput =
  | 'CREATE'
  | 0
  | 'UPDATE'
  | 1
  | 'DELETE'
  | 2

export type _tidegate_store_v1_Change_Kind = typeof _tidegate_store_v1_Change_Kind[keyof typeof _tidegate_store_v1_Change_Kind]

export interface ChangeInput {
  'kind'?: (_tidegate_store_v1_Change_KindInput);
  'key'?: (_tidegate_store_v1_KeyInput | null);
  'revision'?: (number | string | Long);
  /**
   * revision of the state that this change replaced, 0 for CREATE
   */
  'previousRevision'?: (number | string | Long);
  /**
   * DELETE: the last state
   */
  'value'?: (Buffer | Uint8Array | string);
  'splice'?: (number);
  'selection'?: (Buffer | Uint8Array | string);
  'uid'?: (string);
  'deleting'?: (boolean);
  'traceparent'?: (string);
  /**
   * the value is too large for the message, or encrypted at rest: the receiver reads it from the log
   */
  'byReference'?: (boolean);
  /**
   * as in StoredObject; the last state of a deleted object may be unreadable, too
   */
  'corrupt'?: (string);
}

export interface Change {
  'kind': (_tidegate_store_v1_Change_Kind);
  'key': (_tidegate_store_v1_Key | null);
  'revision': (number);
  /**
   * revision of the state that this change replaced, 0 for CREATE
   */
  'previousRevision': (number);
  /**
   * DELETE: the last state
   */
  'value': (Buffer);
  'splice': (number);
  'selection': (Buffer);
  'uid': (string);
  'deleting': (boolean);
  'traceparent': (string);
  /**
   * the value is too large for the message, or encrypted at rest: the receiver reads it from the log
   */
  'byReference': (boolean);
  /**
   * as in StoredObject; the last state of a deleted object may be unreadable, too
   */
  'corrupt': (string);
}
