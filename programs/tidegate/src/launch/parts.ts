import { join } from 'node:path';
import {
  type Certificates,
  cacheDir,
  FRONT_PROXY,
  PARTS,
  type Part,
  programFile,
  startNodeProcess,
} from '@tidegate/local';
import type { ProcessSpec } from '../processes/supervised.ts';
import { type StartOptions, startOptions } from './start-options.ts';

const STOP_LIMIT_MS: Record<Part, number> = { gateway: 15_000, health: 3000, watch: 5000, store: 10_000 };

/** A process of a service, with its addresses. */
export interface PartSpec extends ProcessSpec {
  readonly part: Part;
  readonly grpcAddress: string;
  readonly opsAddress: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface PartsPlan {
  readonly options: StartOptions;
  readonly certificates: Certificates;
  readonly port: number;
  readonly server: string;
  readonly postgresUrl: string;
  /** empty: the watch service follows the store's log */
  readonly natsUrl: string;
  readonly tokenFiles: readonly string[];
  readonly boardAddress: string;
  /** the directory of the parts' sockets */
  readonly partsDir: string;
  /** free ports, one for each process */
  readonly ports: readonly number[];
}

/** The number of ports that the plan needs. */
export function portsNeeded(workers: number): number {
  return workers + PARTS.length - 1;
}

/** The processes of the four services, each with its flags. */
export function planParts(plan: PartsPlan): PartSpec[] {
  const names = PARTS.flatMap((part) =>
    part === 'gateway' ? numbered(part, plan.options.workers) : [{ part, name: part as string }],
  );
  const placed = names.map((entry, i) => ({
    ...entry,
    grpcAddress: `unix:${join(plan.partsDir, entry.name)}`,
    opsAddress: `127.0.0.1:${plan.ports[i]}`,
  }));
  const addresses = (part: Part): string =>
    placed
      .filter((entry) => entry.part === part)
      .map((entry) => entry.grpcAddress)
      .join(',');
  const env = partEnvironment(plan, { ...process.env, ...plan.options.partVariables });
  return placed.map((entry) => {
    const flags = { ...kitFlags(entry, plan), ...partFlags[entry.part](plan, addresses) };
    const args = Object.entries(flags).flatMap(([name, value]) => (value === '' ? [] : [`--${name}=${value}`]));
    const main = programFile(entry.part);
    const started = { args, env: env(entry.part) };
    return {
      ...entry,
      ...started,
      logFile: join(plan.options.dataDir.logs, `${entry.name}.log`),
      stopLimitMs: STOP_LIMIT_MS[entry.part],
      start: (log) => startNodeProcess({ main, log, ...started }),
    };
  });
}

function numbered(part: Part, count: number): Array<{ part: Part; name: string }> {
  return Array.from({ length: count }, (_, i) => ({ part, name: count === 1 ? part : `${part}-${i + 1}` }));
}

type Flags = Record<string, string>;

function kitFlags(entry: { part: Part; grpcAddress: string; opsAddress: string }, plan: PartsPlan): Flags {
  const { certificates, options } = plan;
  const peer = certificates.peer(entry.part);
  return {
    'grpc-address': entry.grpcAddress,
    'ops-address': entry.opsAddress,
    'peer-cert-file': peer.certFile,
    'peer-key-file': peer.keyFile,
    'peer-ca-file': certificates.peerCaFile,
    'otlp-endpoint': options.otlpEndpoint,
    'log-level': options.logLevel,
  };
}

const partFlags: Record<Part, (plan: PartsPlan, addresses: (part: Part) => string) => Flags> = {
  gateway: (plan, addresses) => ({
    'bind-address': plan.options.bindAddress,
    port: String(plan.port),
    'tls-cert-file': plan.certificates.serving.certFile,
    'tls-private-key-file': plan.certificates.serving.keyFile,
    'client-ca-file': plan.certificates.clientCaFile,
    'requestheader-client-ca-file': plan.certificates.frontProxyCaFile,
    'requestheader-allowed-names': FRONT_PROXY,
    'proxy-client-cert-file': plan.certificates.frontProxy.certFile,
    'proxy-client-key-file': plan.certificates.frontProxy.keyFile,
    'token-auth-file': plan.tokenFiles.join(','),
    'service-account-signing-key-file': plan.certificates.serviceAccountKeyFile,
    'store-addresses': addresses('store'),
    'watch-addresses': addresses('watch'),
    'feature-gates': plan.options.featureGates,
  }),
  health: (plan, addresses) => ({
    'http-address': plan.boardAddress,
    targets: ['gateway', 'store', 'watch'].map((part) => addresses(part as Part)).join(','),
  }),
  watch: (_, addresses) => ({ 'store-addresses': addresses('store') }),
  store: (plan) => ({
    'encryption-provider-config': plan.options.encryptionProviderConfig,
    'gateway-url': plan.server,
    'gateway-ca-file': plan.certificates.caFile,
    'gateway-cert-file': plan.certificates.controllers.certFile,
    'gateway-key-file': plan.certificates.controllers.keyFile,
    'root-ca-file': plan.certificates.caFile,
    'client-ca-file': plan.certificates.clientCaFile,
    'requestheader-client-ca-file': plan.certificates.frontProxyCaFile,
    'requestheader-allowed-names': FRONT_PROXY,
  }),
};

/**
 * The environment of each part. URLs with passwords are passed in it, because every user of the machine can read
 * arguments. The launcher's own variables are removed; a part's other variables are kept, so that its options can be
 * tried.
 */
function partEnvironment(plan: PartsPlan, own: NodeJS.ProcessEnv): (part: Part) => NodeJS.ProcessEnv {
  const ours = new Set(Object.keys(startOptions).map((name) => `TIDEGATE_${name.replaceAll('-', '_').toUpperCase()}`));
  const rest = Object.fromEntries(Object.entries(own).filter(([name]) => !ours.has(name)));
  // measured: with a compile cache a part has 20 MiB less resident memory, and starts faster
  const compileCache = join(cacheDir(own), 'compile');
  return (part) => ({
    NODE_COMPILE_CACHE: compileCache,
    ...rest,
    ...(part === 'store' ? { TIDEGATE_POSTGRES_URL: plan.postgresUrl } : {}),
    ...(part === 'store' || part === 'watch' ? { TIDEGATE_NATS_URL: plan.natsUrl } : {}),
  });
}
