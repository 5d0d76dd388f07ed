// Original file: proto/grpc/health/v1/health.proto

import type { MethodDefinition } from '@grpc/proto-loader'
import type { HealthCheckRequestInput as _grpc_health_v1_HealthCheckRequestInput, HealthCheckRequest as _grpc_health_v1_HealthCheckRequest } from '../../../grpc/health/v1/HealthCheckRequest.ts';
import type { HealthCheckResponseInput as _grpc_health_v1_HealthCheckResponseInput, HealthCheckResponse as _grpc_health_v1_HealthCheckResponse } from '../../../grpc/health/v1/HealthCheckResponse.ts';

export interface HealthDefinition {
  Check: MethodDefinition<_grpc_health_v1_HealthCheckRequestInput, _grpc_health_v1_HealthCheckResponseInput, _grpc_health_v1_HealthCheckRequest, _grpc_health_v1_HealthCheckResponse>
  Watch: MethodDefinition<_grpc_health_v1_HealthCheckRequestInput, _grpc_health_v1_HealthCheckResponseInput, _grpc_health_v1_HealthCheckRequest, _grpc_health_v1_HealthCheckResponse>
}
