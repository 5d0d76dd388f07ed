export { ensureAdminToken } from './certs/admin-token.ts';
export { type Certificates, ensureCertificates, FRONT_PROXY, type PairFiles } from './certs/certificates.ts';
export { mintAuthority, mintLeaf } from './certs/mint.ts';
export { type DataDir, dataDirAt, prepareDataDir } from './data/data-dir.ts';
export { type LockOutcome, lockHolder, takeLock } from './data/lock.ts';
export { writePrivateFile } from './data/private-file.ts';
export { beginningOf, commandLineOf, isRunning, ownIdentity, type ProcessIdentity } from './data/process-identity.ts';
export { type RunningPart, type RunState, readRunState, writeRunState } from './data/run-file.ts';
export { makeSocketDir, removeSocketDir } from './data/socket-dir.ts';
export { refuseForeignKubeconfig, writeKubeconfig } from './kubeconfig.ts';
export { findNats } from './nats/find.ts';
export { natsUrl, startNatsServer } from './nats/server.ts';
export { type PostgresBinaries, postgresBinaries, postgresBinariesAt } from './postgres/binaries.ts';
export { ensureCluster } from './postgres/cluster.ts';
export { commandAs, giveTo, type RunAs, runAsFor } from './postgres/run-as.ts';
export { makePostgresSocketDir, postgresUrl, startPostgresServer } from './postgres/server.ts';
export { familyBytes, memoryBytes } from './probes/memory.ts';
export { freePort, freePorts, isPortFree, requireFreePort } from './probes/ports.ts';
export {
  cacheDir,
  defaultDataDir,
  PARTS,
  type Part,
  PROGRAM_SOURCES,
  programFile,
  projectRoot,
  projectVersion,
} from './project.ts';
export { type LogFile, lastMessage, openLogFile } from './supervise/log-file.ts';
export { NODE_FLAGS, startNodeProcess } from './supervise/node-process.ts';
export { type Running, signalQuietly } from './supervise/running.ts';
export { removeDirectory, temporaryDirectory } from './temporary-directory.ts';
export { isErrno, UserError } from './user-error.ts';
