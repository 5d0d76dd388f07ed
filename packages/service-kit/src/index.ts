export { closestName, helpText, OptionError, type Options, type OptionTable, readOptions } from '@tidegate/options';
export { type Check, Checks } from './checks.ts';
export { type Closing, delayMs } from './delay.ts';
export { type GrpcServer, grpcClient, openGrpcServer, peerCredentials } from './grpc.ts';
export { type KitConfig, kitOptions } from './kit-options.ts';
export { createLogger, type Logger } from './logger.ts';
export { MetricRegistry } from './metric-registry.ts';
export { type Kit, runMain, type Service } from './run-main.ts';
export { createTracing, type TraceSpan, type Tracing } from './tracing.ts';
