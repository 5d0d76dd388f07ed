export type * from './grpc/health/v1/Health.ts';
export type * from './grpc/health/v1/HealthCheckRequest.ts';
export type * from './grpc/health/v1/HealthCheckResponse.ts';
