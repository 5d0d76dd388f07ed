// Original file: proto/tidegate/watch/v1/watch.proto

import type { Long } from '@grpc/proto-loader';

export interface SegmentItemInput {
  'namespace'?: (string);
  'name'?: (string);
  'revision'?: (number | string | Long);
  'uid'?: (string);
  /**
   * bytes of its JSON, without the comma
   */
  'size'?: (number);
  /**
   * offset of the resourceVersion in these bytes
   */
  'splice'?: (number);
  /**
   * JSON of labels and selectable fields, may be empty
   */
  'selection'?: (Buffer | Uint8Array | string);
  'deleting'?: (boolean);
}

export interface SegmentItem {
  'namespace': (string);
  'name': (string);
  'revision': (number);
  'uid': (string);
  /**
   * bytes of its JSON, without the comma
   */
  'size': (number);
  /**
   * offset of the resourceVersion in these bytes
   */
  'splice': (number);
  /**
   * JSON of labels and selectable fields, may be empty
   */
  'selection': (Buffer);
  'deleting': (boolean);
}
