// Original file: proto/tidegate/store/v1/store.proto

import type { KeyInput as _tidegate_store_v1_KeyInput, Key as _tidegate_store_v1_Key } from '../../../tidegate/store/v1/Key.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * A stored object. value is JSON without a resourceVersion; `,"resourceVersion":"<revision>"` belongs at byte splice.
 */
export interface StoredObjectInput {
  'key'?: (_tidegate_store_v1_KeyInput | null);
  'revision'?: (number | string | Long);
  'value'?: (Buffer | Uint8Array | string);
  'splice'?: (number);
  /**
   * JSON of the labels and selectable fields ({"labels":{},"fields":{}}), empty when the object has neither.
   */
  'selection'?: (Buffer | Uint8Array | string);
  'uid'?: (string);
  /**
   * deletion has been requested and finalizers hold the object
   */
  'deleting'?: (boolean);
  /**
   * the reason why the object cannot be read (its checksum is wrong, it cannot be decrypted): it then has no value and
   * no selection. Empty for a readable object.
   */
  'corrupt'?: (string);
  /**
   * it is encrypted with an old key or stored in an old form: an update rewrites it even when nothing has changed
   */
  'stale'?: (boolean);
}

/**
 * A stored object. value is JSON without a resourceVersion; `,"resourceVersion":"<revision>"` belongs at byte splice.
 */
export interface StoredObject {
  'key': (_tidegate_store_v1_Key | null);
  'revision': (number);
  'value': (Buffer);
  'splice': (number);
  /**
   * JSON of the labels and selectable fields ({"labels":{},"fields":{}}), empty when the object has neither.
   */
  'selection': (Buffer);
  'uid': (string);
  /**
   * deletion has been requested and finalizers hold the object
   */
  'deleting': (boolean);
  /**
   * the reason why the object cannot be read (its checksum is wrong, it cannot be decrypted): it then has no value and
   * no selection. Empty for a readable object.
   */
  'corrupt': (string);
  /**
   * it is encrypted with an old key or stored in an old form: an update rewrites it even when nothing has changed
   */
  'stale': (boolean);
}
