// Original file: proto/tidegate/store/v1/store.proto

import type { Long } from '@grpc/proto-loader';

export interface ListRequestInput {
  'resource'?: (string);
  /**
   * "" lists every namespace
   */
  'namespace'?: (string);
  /**
   * 0 lists at the current revision
   */
  'revision'?: (number | string | Long);
  /**
   * start after this key
   */
  'afterNamespace'?: (string);
  'afterName'?: (string);
  /**
   * 0 for no limit
   */
  'limit'?: (number);
  /**
   * count the objects after the limit; only for one resource
   */
  'countRest'?: (boolean);
}

export interface ListRequest {
  'resource': (string);
  /**
   * "" lists every namespace
   */
  'namespace': (string);
  /**
   * 0 lists at the current revision
   */
  'revision': (number);
  /**
   * start after this key
   */
  'afterNamespace': (string);
  'afterName': (string);
  /**
   * 0 for no limit
   */
  'limit': (number);
  /**
   * count the objects after the limit; only for one resource
   */
  'countRest': (boolean);
}
