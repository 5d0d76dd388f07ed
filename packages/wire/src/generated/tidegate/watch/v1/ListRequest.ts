// Original file: proto/tidegate/watch/v1/watch.proto

import type { Long } from '@grpc/proto-loader';

export interface ListRequestInput {
  'resource'?: (string);
  /**
   * "" for all
   */
  'namespace'?: (string);
  /**
   * the list begins after this key
   */
  'afterNamespace'?: (string);
  'afterName'?: (string);
  /**
   * 0: all; below 0: none, only `remaining` is set
   */
  'limit'?: (number | string | Long);
  'revision'?: (number | string | Long);
  'exact'?: (boolean);
  /**
   * send `items` with the bytes, so that the gateway can select
   */
  'heads'?: (boolean);
  /**
   * without `heads`: objects are sent without apiVersion and kind, because the list has them
   */
  'typeless'?: (boolean);
}

export interface ListRequest {
  'resource': (string);
  /**
   * "" for all
   */
  'namespace': (string);
  /**
   * the list begins after this key
   */
  'afterNamespace': (string);
  'afterName': (string);
  /**
   * 0: all; below 0: none, only `remaining` is set
   */
  'limit': (number);
  'revision': (number);
  'exact': (boolean);
  /**
   * send `items` with the bytes, so that the gateway can select
   */
  'heads': (boolean);
  /**
   * without `heads`: objects are sent without apiVersion and kind, because the list has them
   */
  'typeless': (boolean);
}
