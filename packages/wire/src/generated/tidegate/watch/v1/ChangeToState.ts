// Original file: proto/tidegate/watch/v1/watch.proto

import type { _tidegate_store_v1_Change_KindInput, _tidegate_store_v1_Change_Kind } from '../../../tidegate/store/v1/Change.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * A change to a state that the stream has sent before, with this revision.
 */
export interface ChangeToStateInput {
  'kind'?: (_tidegate_store_v1_Change_KindInput);
  'revision'?: (number | string | Long);
  'previousRevision'?: (number | string | Long);
}

/**
 * A change to a state that the stream has sent before, with this revision.
 */
export interface ChangeToState {
  'kind': (_tidegate_store_v1_Change_Kind);
  'revision': (number);
  'previousRevision': (number);
}
