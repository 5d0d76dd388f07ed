// Original file: proto/tidegate/watch/v1/watch.proto

import type { OpeningInput as _tidegate_watch_v1_OpeningInput, Opening as _tidegate_watch_v1_Opening } from '../../../tidegate/watch/v1/Opening.ts';
import type { ChangeInput as _tidegate_store_v1_ChangeInput, Change as _tidegate_store_v1_Change } from '../../../tidegate/store/v1/Change.ts';
import type { CollectionSizeInput as _tidegate_watch_v1_CollectionSizeInput, CollectionSize as _tidegate_watch_v1_CollectionSize } from '../../../tidegate/watch/v1/CollectionSize.ts';
import type { Long } from '@grpc/proto-loader';

export interface FollowResponseInput {
  /**
   * parts of the opening of one collection
   */
  'opening'?: (_tidegate_watch_v1_OpeningInput | null);
  /**
   * changes of opened collections
   */
  'changes'?: (_tidegate_store_v1_ChangeInput)[];
  /**
   * complete through this revision
   */
  'through'?: (number | string | Long);
  'epoch'?: (number);
  /**
   * sizes of collections: sent at the start of the stream, and after large changes
   */
  'sizes'?: (_tidegate_watch_v1_CollectionSizeInput)[];
  /**
   * when the store that committed the changes learned of the commit, by its clock; 0 when that is unknown
   */
  'committedAtMs'?: (number | string);
}

export interface FollowResponse {
  /**
   * parts of the opening of one collection
   */
  'opening': (_tidegate_watch_v1_Opening | null);
  /**
   * changes of opened collections
   */
  'changes': (_tidegate_store_v1_Change)[];
  /**
   * complete through this revision
   */
  'through': (number);
  'epoch': (number);
  /**
   * sizes of collections: sent at the start of the stream, and after large changes
   */
  'sizes': (_tidegate_watch_v1_CollectionSize)[];
  /**
   * when the store that committed the changes learned of the commit, by its clock; 0 when that is unknown
   */
  'committedAtMs': (number);
}
