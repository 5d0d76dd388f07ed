// Original file: proto/tidegate/health/v1/health.proto

import type { MethodDefinition } from '@grpc/proto-loader'
import type { ChecksRequestInput as _tidegate_health_v1_ChecksRequestInput, ChecksRequest as _tidegate_health_v1_ChecksRequest } from '../../../tidegate/health/v1/ChecksRequest.ts';
import type { ChecksResponseInput as _tidegate_health_v1_ChecksResponseInput, ChecksResponse as _tidegate_health_v1_ChecksResponse } from '../../../tidegate/health/v1/ChecksResponse.ts';

export interface HealthDefinition {
  Checks: MethodDefinition<_tidegate_health_v1_ChecksRequestInput, _tidegate_health_v1_ChecksResponseInput, _tidegate_health_v1_ChecksRequest, _tidegate_health_v1_ChecksResponse>
}
