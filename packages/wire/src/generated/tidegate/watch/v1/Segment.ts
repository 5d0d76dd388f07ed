// Original file: proto/tidegate/watch/v1/watch.proto

import type { SegmentItemInput as _tidegate_watch_v1_SegmentItemInput, SegmentItem as _tidegate_watch_v1_SegmentItem } from '../../../tidegate/watch/v1/SegmentItem.ts';

/**
 * Consecutive objects of a collection, ready for a list.
 */
export interface SegmentInput {
  /**
   * their JSON with their resourceVersion, each followed by a comma
   */
  'json'?: (Buffer | Uint8Array | string);
  'items'?: (_tidegate_watch_v1_SegmentItemInput)[];
}

/**
 * Consecutive objects of a collection, ready for a list.
 */
export interface Segment {
  /**
   * their JSON with their resourceVersion, each followed by a comma
   */
  'json': (Buffer);
  'items': (_tidegate_watch_v1_SegmentItem)[];
}
