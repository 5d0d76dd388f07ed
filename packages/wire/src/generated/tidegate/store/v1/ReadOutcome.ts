// Original file: proto/tidegate/store/v1/store.proto

import type { StoredObjectInput as _tidegate_store_v1_StoredObjectInput, StoredObject as _tidegate_store_v1_StoredObject } from '../../../tidegate/store/v1/StoredObject.ts';

export interface ReadOutcomeInput {
  'found'?: (boolean);
  'object'?: (_tidegate_store_v1_StoredObjectInput | null);
  /**
   * the response would have become too large: the client must read this key again
   */
  'again'?: (boolean);
}

export interface ReadOutcome {
  'found': (boolean);
  'object': (_tidegate_store_v1_StoredObject | null);
  /**
   * the response would have become too large: the client must read this key again
   */
  'again': (boolean);
}
