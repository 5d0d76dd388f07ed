// Original file: proto/tidegate/store/v1/store.proto

import type { KeyInput as _tidegate_store_v1_KeyInput, Key as _tidegate_store_v1_Key } from '../../../tidegate/store/v1/Key.ts';
import type { WriteInput as _tidegate_store_v1_WriteInput, Write as _tidegate_store_v1_Write } from '../../../tidegate/store/v1/Write.ts';
import type { Long } from '@grpc/proto-loader';

export interface SessionRequestInput {
  'id'?: (number | string | Long);
  'reads'?: (_tidegate_store_v1_KeyInput)[];
  'writes'?: (_tidegate_store_v1_WriteInput)[];
  'head'?: (boolean);
}

export interface SessionRequest {
  'id': (number);
  'reads': (_tidegate_store_v1_Key)[];
  'writes': (_tidegate_store_v1_Write)[];
  'head': (boolean);
}
