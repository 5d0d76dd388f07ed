// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Each object has a mark: the first 52 bits of the MD5 of `namespace/name@revision`. The digest is the number of objects,
 * the sums and exclusive ors of the marks' lower and upper 26 bits.
 */
export interface CollectionDigestInput {
  'resource'?: (string);
  'count'?: (number | string | Long);
  'lowSum'?: (number | string | Long);
  'highSum'?: (number | string | Long);
  'lowXor'?: (number | string | Long);
  'highXor'?: (number | string | Long);
}

/**
 * Each object has a mark: the first 52 bits of the MD5 of `namespace/name@revision`. The digest is the number of objects,
 * the sums and exclusive ors of the marks' lower and upper 26 bits.
 */
export interface CollectionDigest {
  'resource': (string);
  'count': (number);
  'lowSum': (number);
  'highSum': (number);
  'lowXor': (number);
  'highXor': (number);
}
