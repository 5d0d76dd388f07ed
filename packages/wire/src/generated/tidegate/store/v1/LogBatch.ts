// Original file: proto/tidegate/store/v1/store.proto

import type { ChangeInput as _tidegate_store_v1_ChangeInput, Change as _tidegate_store_v1_Change } from '../../../tidegate/store/v1/Change.ts';
import type { Long } from '@grpc/proto-loader';

export interface LogBatchInput {
  'epoch'?: (number);
  /**
   * the changes cover every revision from first through last
   */
  'first'?: (number | string | Long);
  'last'?: (number | string | Long);
  'changes'?: (_tidegate_store_v1_ChangeInput)[];
  /**
   * when the store learned of the commit, in milliseconds since 1970 by its clock; 0 when it was read from the log
   */
  'committedAtMs'?: (number | string);
}

export interface LogBatch {
  'epoch': (number);
  /**
   * the changes cover every revision from first through last
   */
  'first': (number);
  'last': (number);
  'changes': (_tidegate_store_v1_Change)[];
  /**
   * when the store learned of the commit, in milliseconds since 1970 by its clock; 0 when it was read from the log
   */
  'committedAtMs': (number);
}
