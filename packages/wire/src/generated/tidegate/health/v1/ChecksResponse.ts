// Original file: proto/tidegate/health/v1/health.proto

import type { CheckInput as _tidegate_health_v1_CheckInput, Check as _tidegate_health_v1_Check } from '../../../tidegate/health/v1/Check.ts';
import type { LoadInput as _tidegate_health_v1_LoadInput, Load as _tidegate_health_v1_Load } from '../../../tidegate/health/v1/Load.ts';
import type { Long } from '@grpc/proto-loader';

export interface ChecksResponseInput {
  'part'?: (string);
  'instance'?: (string);
  'checks'?: (_tidegate_health_v1_CheckInput)[];
  /**
   * draining
   */
  'stopping'?: (boolean);
  'revision'?: (number | string | Long);
  'load'?: (_tidegate_health_v1_LoadInput | null);
}

export interface ChecksResponse {
  'part': (string);
  'instance': (string);
  'checks': (_tidegate_health_v1_Check)[];
  /**
   * draining
   */
  'stopping': (boolean);
  'revision': (number);
  'load': (_tidegate_health_v1_Load | null);
}
