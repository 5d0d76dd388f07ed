export { freePort } from '@tidegate/local';
export { type ReceivedRequest, TestAggregatedServer } from './aggregated-server.ts';
export type { PartProcess } from './cluster/part-process.ts';
export { type Cluster, type Endpoint, startCluster } from './cluster/start-cluster.ts';
export {
  type Conversation,
  converse,
  namespaceOf,
  type RecordedResponse,
  readConversations,
  type SendRequest,
  writeConversations,
} from './conversation.ts';
export { metricAt } from './metric-at.ts';
export { oddDefinition } from './odd-definition.ts';
export { peerCertificates, type TestCertificates } from './peer-certificates.ts';
export { postgresOfVersion } from './postgres-version.ts';
export { copyPrepared } from './prepared.ts';
export { programFile } from './programs/program.ts';
export { sourcesKey } from './programs/sources-key.ts';
export { Random } from './random.ts';
export { startReviewer, type TestReviewer } from './reviewer.ts';
export { type ServerPair, serverPair } from './server-pair.ts';
export { whyNoSmallDisk } from './small-disk.ts';
export { natsBinary, startNats, type TestNats, whyNoNats } from './start-nats.ts';
export { findPgbouncer, startPgbouncer } from './start-pgbouncer.ts';
export { startPostgres, type TestPostgres } from './start-postgres.ts';
export { caughtUp, demote, promote, startStandby } from './start-standby.ts';
export { startTidegate, type TestTidegate } from './start-tidegate.ts';
export { temporaryDir } from './temporary-dir.ts';
export { type TestAuthority, testAuthority } from './test-authority.ts';
export { type Cause, type TimeSpent, timed, timeSpent } from './time-spent.ts';
export {
  type IssuerKey,
  issuerKey,
  publishedForm,
  signedToken,
  startIssuer,
  type TestIssuer,
} from './token-issuer.ts';
export { NEEDS, needs, type ToolName } from './tools.ts';
export { until } from './until.ts';
export { startWebhooks, type TestWebhooks } from './webhook-server.ts';
export {
  readYamlCases,
  writeYamlCases,
  type YamlCase,
  type YamlVerdict,
  type YamlVerdicts,
  yamlThings,
  yamlVerdicts,
} from './yaml-cases.ts';
