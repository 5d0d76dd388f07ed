// Original file: proto/tidegate/health/v1/health.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A few numbers, measured over the last full interval of two seconds.
 */
export interface LoadInput {
  /**
   * a gateway counts requests, a store keys read and written, a watch service changes
   */
  'requestsPerSecond'?: (number | string);
  /**
   * the longest delay of the event loop
   */
  'loopDelayMs'?: (number | string);
  'residentBytes'?: (number | string | Long);
  /**
   * a gateway counts open watches, a watch service the gateways that follow it
   */
  'watchers'?: (number | string | Long);
  /**
   * the longest delay from a commit in the store to its arrival in this process; only set when there were commits
   */
  'hasLag'?: (boolean);
  'lagMs'?: (number | string);
  'uptimeSeconds'?: (number | string);
}

/**
 * A few numbers, measured over the last full interval of two seconds.
 */
export interface Load {
  /**
   * a gateway counts requests, a store keys read and written, a watch service changes
   */
  'requestsPerSecond': (number);
  /**
   * the longest delay of the event loop
   */
  'loopDelayMs': (number);
  'residentBytes': (number);
  /**
   * a gateway counts open watches, a watch service the gateways that follow it
   */
  'watchers': (number);
  /**
   * the longest delay from a commit in the store to its arrival in this process; only set when there were commits
   */
  'hasLag': (boolean);
  'lagMs': (number);
  'uptimeSeconds': (number);
}
