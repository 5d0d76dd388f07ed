export {
  closestName,
  helpText,
  OptionError,
  type Options,
  type OptionTable,
  readOptions,
  variableOf,
} from '@tidegate/options';
export { BUILD_FILE, type BuildInfo, buildInfo } from './build-info.ts';
export { cancelCall } from './cancel-call.ts';
export { type CertificateInUse, CertificateTimes } from './certificate-times.ts';
export { type Check, Checks, type Endpoint } from './checks.ts';
export { type Closing, delayMs } from './delay.ts';
export { Fault, Faults } from './faults.ts';
export { type GrpcServer, grpcClient, openGrpcServer } from './grpc.ts';
export { HistogramTally, type Sample } from './histogram-tally.ts';
export { type KeyPair, readKeyPair } from './key-pair.ts';
export { type KitConfig, kitOptions } from './kit-options.ts';
export { LoadMeter } from './load-meter.ts';
export { createLogger, type Logger, openLog } from './logger.ts';
export { LoopWatch } from './loop-watch.ts';
export { MetricRegistry } from './metric-registry.ts';
export { checkNats, type NatsConfig, natsAddress, natsOptions } from './nats-address.ts';
export { openOpsServer, sendText, splitAddress, splitUrl } from './ops-server.ts';
export { type PeerCredentials, peerCredentials } from './peer-credentials.ts';
export { type ProbeAnswer, type ProbePath, type ProbeQuery, probeAnswer, probePath } from './probe.ts';
export { type Replica, ReplicaNames, type ReplicaNamesOptions } from './replica-names.ts';
export { Replicas, replicaClient } from './replicas.ts';
export { Retries, Retry } from './retries.ts';
export { type Kit, runMain, type Service } from './run-main.ts';
export { Semaphore } from './semaphore.ts';
export { Cancelled, serveStream, writeMessage } from './serve-stream.ts';
export { createTracing, type TraceSpan, type Tracing } from './tracing.ts';
export { type Trust, trusting } from './trusting.ts';
export { WatchedFiles } from './watched-files.ts';
