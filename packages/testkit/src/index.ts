export { freePort } from '@tidegate/local';
export { peerCertificates, type TestCertificates } from './peer-certificates.ts';
export { whyNoSmallDisk } from './small-disk.ts';
export { startNats, type TestNats } from './start-nats.ts';
export { startPostgres, type TestPostgres } from './start-postgres.ts';
export { caughtUp, demote, promote, startStandby } from './start-standby.ts';
export { startTidegate, type TestTidegate } from './start-tidegate.ts';
export { temporaryDir } from './temporary-dir.ts';
export { until } from './until.ts';
