// Original file: proto/tidegate/store/v1/store.proto

import type { KeyInput as _tidegate_store_v1_KeyInput, Key as _tidegate_store_v1_Key } from '../../../tidegate/store/v1/Key.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: proto/tidegate/store/v1/store.proto

export const _tidegate_store_v1_Guard_Kind = {
  /**
   * the key exists and is not being deleted
   */
  LIVE: 0,
  /**
   * the namespace with the key's name has no objects
   */
  NAMESPACE_EMPTY: 1,
  /**
   * the lease of the key's name is held under the fencing number
   */
  FENCE: 2,
  /**
   * no object has the claim in the key's name
   */
  UNCLAIMED: 3,
  /**
   * the revision of the key is the number in fence; 0: the key does not exist
   */
  AT_REVISION: 4,
} as const;

export type _tidegate_store_v1_Guard_KindInput =
  /**
   * the key exists and is not being deleted
   */
  | 'LIVE'
  | 0
  /**
   * the namespace with the key's name has no objects
   */
  | 'NAMESPACE_EMPTY'
  | 1
  /**
   * the lease of the key's name is held under the fencing number
   */
  | 'FENCE'
  | 2
  /**
   * no object has the claim in the key's name
   */
  | 'UNCLAIMED'
  | 3
  /**
   * the revision of the key is the number in fence; 0: the key does not exist
   */
  | 'AT_REVISION'
  | 4

export type _tidegate_store_v1_Guard_Kind = typeof _tidegate_store_v1_Guard_Kind[keyof typeof _tidegate_store_v1_Guard_Kind]

export interface GuardInput {
  'kind'?: (_tidegate_store_v1_Guard_KindInput);
  'key'?: (_tidegate_store_v1_KeyInput | null);
  'fence'?: (number | string | Long);
}

export interface Guard {
  'kind': (_tidegate_store_v1_Guard_Kind);
  'key': (_tidegate_store_v1_Key | null);
  'fence': (number);
}
