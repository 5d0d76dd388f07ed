// Original file: proto/tidegate/store/v1/store.proto

import type { CollectionDigestInput as _tidegate_store_v1_CollectionDigestInput, CollectionDigest as _tidegate_store_v1_CollectionDigest } from '../../../tidegate/store/v1/CollectionDigest.ts';
import type { Long } from '@grpc/proto-loader';

export interface DigestResponseInput {
  'revision'?: (number | string | Long);
  'epoch'?: (number);
  'digests'?: (_tidegate_store_v1_CollectionDigestInput)[];
}

export interface DigestResponse {
  'revision': (number);
  'epoch': (number);
  'digests': (_tidegate_store_v1_CollectionDigest)[];
}
