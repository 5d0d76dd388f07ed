// Original file: proto/tidegate/watch/v1/watch.proto

import type { ChangeInput as _tidegate_store_v1_ChangeInput, Change as _tidegate_store_v1_Change } from '../../../tidegate/store/v1/Change.ts';
import type { StoredObjectInput as _tidegate_store_v1_StoredObjectInput, StoredObject as _tidegate_store_v1_StoredObject } from '../../../tidegate/store/v1/StoredObject.ts';
import type { ChangeToStateInput as _tidegate_watch_v1_ChangeToStateInput, ChangeToState as _tidegate_watch_v1_ChangeToState } from '../../../tidegate/watch/v1/ChangeToState.ts';

export interface HistoricChangeInput {
  /**
   * absent when the state after it is in the segments
   */
  'change'?: (_tidegate_store_v1_ChangeInput | null);
  /**
   * the state before, unless an earlier event of the window has it
   */
  'before'?: (_tidegate_store_v1_StoredObjectInput | null);
  /**
   * instead of `change`
   */
  'toState'?: (_tidegate_watch_v1_ChangeToStateInput | null);
}

export interface HistoricChange {
  /**
   * absent when the state after it is in the segments
   */
  'change': (_tidegate_store_v1_Change | null);
  /**
   * the state before, unless an earlier event of the window has it
   */
  'before': (_tidegate_store_v1_StoredObject | null);
  /**
   * instead of `change`
   */
  'toState': (_tidegate_watch_v1_ChangeToState | null);
}
