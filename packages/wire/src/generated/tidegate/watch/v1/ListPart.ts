// Original file: proto/tidegate/watch/v1/watch.proto

import type { CorruptObjectInput as _tidegate_watch_v1_CorruptObjectInput, CorruptObject as _tidegate_watch_v1_CorruptObject } from '../../../tidegate/watch/v1/CorruptObject.ts';
import type { SegmentInput as _tidegate_watch_v1_SegmentInput, Segment as _tidegate_watch_v1_Segment } from '../../../tidegate/watch/v1/Segment.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListPartInput {
  /**
   * the snapshot's revision, on the first part
   */
  'revision'?: (number | string | Long);
  /**
   * objects that cannot be read, on the first part
   */
  'corrupt'?: (_tidegate_watch_v1_CorruptObjectInput)[];
  /**
   * with its items only when `heads` is set
   */
  'segment'?: (_tidegate_watch_v1_SegmentInput | null);
  /**
   * number of objects after the limit, on the last part
   */
  'remaining'?: (number | string | Long);
  /**
   * number of objects in the segment
   */
  'count'?: (number);
  'lastNamespace'?: (string);
  'lastName'?: (string);
}

export interface ListPart {
  /**
   * the snapshot's revision, on the first part
   */
  'revision': (number);
  /**
   * objects that cannot be read, on the first part
   */
  'corrupt': (_tidegate_watch_v1_CorruptObject)[];
  /**
   * with its items only when `heads` is set
   */
  'segment': (_tidegate_watch_v1_Segment | null);
  /**
   * number of objects after the limit, on the last part
   */
  'remaining': (number);
  /**
   * number of objects in the segment
   */
  'count': (number);
  'lastNamespace': (string);
  'lastName': (string);
}
