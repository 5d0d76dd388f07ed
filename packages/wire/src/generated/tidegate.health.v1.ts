export type * from './tidegate/health/v1/Check.ts';
export type * from './tidegate/health/v1/ChecksRequest.ts';
export type * from './tidegate/health/v1/ChecksResponse.ts';
export type * from './tidegate/health/v1/Health.ts';
export type * from './tidegate/health/v1/Load.ts';
