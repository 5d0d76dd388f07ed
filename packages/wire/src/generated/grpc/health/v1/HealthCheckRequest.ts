// Original file: proto/grpc/health/v1/health.proto


export interface HealthCheckRequestInput {
  'service'?: (string);
}

export interface HealthCheckRequest {
  'service': (string);
}
