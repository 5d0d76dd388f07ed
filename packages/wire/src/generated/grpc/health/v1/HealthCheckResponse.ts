// Original file: proto/grpc/health/v1/health.proto


// Original file: proto/grpc/health/v1/health.proto

export const _grpc_health_v1_HealthCheckResponse_ServingStatus = {
  UNKNOWN: 0,
  SERVING: 1,
  NOT_SERVING: 2,
  /**
   * only from Watch
   */
  SERVICE_UNKNOWN: 3,
} as const;

export type _grpc_health_v1_HealthCheckResponse_ServingStatusInput =
  | 'UNKNOWN'
  | 0
  | 'SERVING'
  | 1
  | 'NOT_SERVING'
  | 2
  /**
   * only from Watch
   */
  | 'SERVICE_UNKNOWN'
  | 3

export type _grpc_health_v1_HealthCheckResponse_ServingStatus = typeof _grpc_health_v1_HealthCheckResponse_ServingStatus[keyof typeof _grpc_health_v1_HealthCheckResponse_ServingStatus]

export interface HealthCheckResponseInput {
  'status'?: (_grpc_health_v1_HealthCheckResponse_ServingStatusInput);
}

export interface HealthCheckResponse {
  'status': (_grpc_health_v1_HealthCheckResponse_ServingStatus);
}
