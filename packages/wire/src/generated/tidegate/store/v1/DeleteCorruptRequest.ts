// Original file: proto/tidegate/store/v1/store.proto

import type { KeyInput as _tidegate_store_v1_KeyInput, Key as _tidegate_store_v1_Key } from '../../../tidegate/store/v1/Key.ts';

export interface DeleteCorruptRequestInput {
  'key'?: (_tidegate_store_v1_KeyInput | null);
  'operationId'?: (Buffer | Uint8Array | string);
  'traceparent'?: (string);
}

export interface DeleteCorruptRequest {
  'key': (_tidegate_store_v1_Key | null);
  'operationId': (Buffer);
  'traceparent': (string);
}
