// Original file: proto/tidegate/store/v1/store.proto

import type { ReadOutcomeInput as _tidegate_store_v1_ReadOutcomeInput, ReadOutcome as _tidegate_store_v1_ReadOutcome } from '../../../tidegate/store/v1/ReadOutcome.ts';
import type { WriteOutcomeInput as _tidegate_store_v1_WriteOutcomeInput, WriteOutcome as _tidegate_store_v1_WriteOutcome } from '../../../tidegate/store/v1/WriteOutcome.ts';
import type { Long } from '@grpc/proto-loader';

export interface SessionResponseInput {
  'id'?: (number | string | Long);
  'reads'?: (_tidegate_store_v1_ReadOutcomeInput)[];
  'writes'?: (_tidegate_store_v1_WriteOutcomeInput)[];
  'revision'?: (number | string | Long);
  /**
   * set when the whole message failed and nothing in it was done: a Status as JSON
   */
  'error'?: (Buffer | Uint8Array | string);
  /**
   * in a response with a revision: the reason why this store cannot publish now; empty when it can, or has no bus
   */
  'busTrouble'?: (string);
}

export interface SessionResponse {
  'id': (number);
  'reads': (_tidegate_store_v1_ReadOutcome)[];
  'writes': (_tidegate_store_v1_WriteOutcome)[];
  'revision': (number);
  /**
   * set when the whole message failed and nothing in it was done: a Status as JSON
   */
  'error': (Buffer);
  /**
   * in a response with a revision: the reason why this store cannot publish now; empty when it can, or has no bus
   */
  'busTrouble': (string);
}
