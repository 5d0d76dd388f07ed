// Original file: proto/tidegate/watch/v1/watch.proto

import type { SegmentInput as _tidegate_watch_v1_SegmentInput, Segment as _tidegate_watch_v1_Segment } from '../../../tidegate/watch/v1/Segment.ts';
import type { CorruptObjectInput as _tidegate_watch_v1_CorruptObjectInput, CorruptObject as _tidegate_watch_v1_CorruptObject } from '../../../tidegate/watch/v1/CorruptObject.ts';
import type { HoleInput as _tidegate_watch_v1_HoleInput, Hole as _tidegate_watch_v1_Hole } from '../../../tidegate/watch/v1/Hole.ts';
import type { HistoricChangeInput as _tidegate_watch_v1_HistoricChangeInput, HistoricChange as _tidegate_watch_v1_HistoricChange } from '../../../tidegate/watch/v1/HistoricChange.ts';
import type { Long } from '@grpc/proto-loader';

export interface OpeningInput {
  'resource'?: (string);
  /**
   * the state at `revision`, in key order
   */
  'segments'?: (_tidegate_watch_v1_SegmentInput)[];
  /**
   * objects that cannot be read at `revision`
   */
  'corrupt'?: (_tidegate_watch_v1_CorruptObjectInput)[];
  /**
   * set on the last part
   */
  'opened'?: (boolean);
  /**
   * the state's revision
   */
  'revision'?: (number | string | Long);
  /**
   * the window holds every event after this revision
   */
  'floor'?: (number | string | Long);
  /**
   * ranges of the window without revisions: lost in a failover, or never used
   */
  'holes'?: (_tidegate_watch_v1_HoleInput)[];
  /**
   * events of the window, oldest first, after the state
   */
  'history'?: (_tidegate_watch_v1_HistoricChangeInput)[];
}

export interface Opening {
  'resource': (string);
  /**
   * the state at `revision`, in key order
   */
  'segments': (_tidegate_watch_v1_Segment)[];
  /**
   * objects that cannot be read at `revision`
   */
  'corrupt': (_tidegate_watch_v1_CorruptObject)[];
  /**
   * set on the last part
   */
  'opened': (boolean);
  /**
   * the state's revision
   */
  'revision': (number);
  /**
   * the window holds every event after this revision
   */
  'floor': (number);
  /**
   * ranges of the window without revisions: lost in a failover, or never used
   */
  'holes': (_tidegate_watch_v1_Hole)[];
  /**
   * events of the window, oldest first, after the state
   */
  'history': (_tidegate_watch_v1_HistoricChange)[];
}
