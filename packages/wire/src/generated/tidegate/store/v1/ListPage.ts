// Original file: proto/tidegate/store/v1/store.proto

import type { StoredObjectInput as _tidegate_store_v1_StoredObjectInput, StoredObject as _tidegate_store_v1_StoredObject } from '../../../tidegate/store/v1/StoredObject.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListPageInput {
  'revision'?: (number | string | Long);
  'epoch'?: (number);
  'objects'?: (_tidegate_store_v1_StoredObjectInput)[];
  /**
   * in the last page, when count_rest is set: how many objects follow, at the list's revision
   */
  'remaining'?: (number | string | Long);
}

export interface ListPage {
  'revision': (number);
  'epoch': (number);
  'objects': (_tidegate_store_v1_StoredObject)[];
  /**
   * in the last page, when count_rest is set: how many objects follow, at the list's revision
   */
  'remaining': (number);
}
