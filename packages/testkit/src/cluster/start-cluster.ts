import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tidegate/local';
import { metricAt } from '../metric-at.ts';
import { peerCertificates, type TestCertificates } from '../peer-certificates.ts';
import { programFile } from '../programs/program.ts';
import { startNats, type TestNats } from '../start-nats.ts';
import { startPostgres, type TestPostgres } from '../start-postgres.ts';
import { temporaryDir } from '../temporary-dir.ts';
import { until } from '../until.ts';
import { PartProcess } from './part-process.ts';

/** The address of a gateway, and the credentials of its client. */
export interface Endpoint {
  readonly server: string;
  readonly token: string;
  readonly caFile: string;
}

interface ClusterOptions {
  readonly replicas: number;
  /** without NATS the watch services follow the store's log */
  readonly nats: boolean;
  /** runs the stores' controllers; by default only the test writes */
  readonly controllers?: boolean;
  /** how long the stores keep history */
  readonly windowSeconds?: number;
  /** further options of each part */
  readonly flags?: Partial<Record<'store' | 'watch' | 'gateway', Readonly<Record<string, string>>>>;
  /** the initial program of a part, if it is not the program of this version */
  readonly program?: (part: 'store' | 'watch' | 'gateway') => string;
  /** starts a proxy between the gateways and the stores; returns its address */
  readonly beforeStores?: StartProxy;
  readonly beforeWatches?: StartProxy;
  /** starts a proxy between NATS and all parts; returns its URL */
  readonly beforeNats?: (url: string) => Promise<string>;
}

type StartProxy = (addresses: readonly string[], certificates: TestCertificates) => Promise<string>;

/** Replicas of each part, started without the launcher, so that proxies can be placed between them. */
export interface Cluster {
  readonly endpoints: readonly Endpoint[];
  readonly parts: ReadonlyMap<string, PartProcess>;
  readonly postgres: TestPostgres;
  readonly nats: TestNats | undefined;
  /** the addresses of the stores */
  readonly stores: readonly string[];
  readonly certificates: TestCertificates;
  /** the answer of one replica to a probe at its ops address; undefined without an answer */
  probe(part: string, path: string): Promise<{ code: number; text: string } | undefined>;
  /** whether one replica is ready */
  ready(part: string): Promise<boolean>;
  /** a metric of one replica, for example "watch-1", summed over its labels */
  metric(part: string, name: string): Promise<number>;
  /** stops one replica with SIGTERM and waits until it is started again and ready */
  restart(part: string): Promise<void>;
  /** the end of the log of one replica if one of its processes exited with an error; otherwise '' */
  failures(part: string): string;
  stop(): Promise<void>;
}

const TOKEN = 'reliability';
/** Generous, because several processes start at the same time, possibly on a slow machine. */
const START_MS = 60_000;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const temporary = temporaryDir('cluster');
  const [postgres, nats, certificates] = await Promise.all([
    startPostgres({ settings: { max_connections: '200' } }),
    options.nats ? startNats() : undefined,
    peerCertificates(),
  ]);
  const natsUrl = nats?.url ?? '';
  const env = {
    TIDEGATE_POSTGRES_URL: postgres.url,
    TIDEGATE_NATS_URL: (await options.beforeNats?.(natsUrl)) ?? natsUrl,
  };
  const tokenFile = join(temporary.path, 'tokens');
  writeFileSync(tokenFile, `${TOKEN},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const parts = new Map<string, PartProcess>();
  const opsAddresses = new Map<string, string>();

  const start = async (part: 'store' | 'watch' | 'gateway', i: number, flags: Readonly<Record<string, string>>) => {
    const address = `127.0.0.1:${await freePort()}`;
    const { peerCertFile, peerKeyFile, peerCaFile } = certificates.peerFiles(part);
    const peer = { 'peer-cert-file': peerCertFile, 'peer-key-file': peerKeyFile, 'peer-ca-file': peerCaFile };
    const opsAddress = `127.0.0.1:${await freePort()}`;
    opsAddresses.set(`${part}-${i}`, opsAddress);
    const listening = { 'grpc-address': address, 'ops-address': opsAddress };
    const all = { ...listening, 'log-level': 'warn', ...peer, ...flags, ...options.flags?.[part] };
    const args = Object.entries(all).map(([name, value]) => `--${name}=${value}`);
    const logFile = join(temporary.path, `${part}-${i}.log`);
    const main = await (options.program ?? programFile)(part);
    parts.set(`${part}-${i}`, new PartProcess({ main, args, env, logFile }));
    return address;
  };
  const each = Array.from({ length: options.replicas }, (_, i) => i + 1);

  // each gateway has its own port, so that clients can choose one
  const ports = await Promise.all(each.map(() => freePort()));
  const servers = ports.map((port) => `https://127.0.0.1:${port}`);
  const storeFlags = {
    'allow-data-loss': 'true',
    'window-seconds': String(options.windowSeconds ?? 300),
    ...(options.controllers === true ? controllerFlags(servers[0] as string, certificates) : {}),
  };
  const stores = await Promise.all(each.map((i) => start('store', i, storeFlags)));
  const watches = await Promise.all(each.map((i) => start('watch', i, { 'store-addresses': stores.join(',') })));
  const { certFile, keyFile } = certificates.serving;
  const flags = {
    'store-addresses': (await options.beforeStores?.(stores, certificates)) ?? stores.join(','),
    'watch-addresses': (await options.beforeWatches?.(watches, certificates)) ?? watches.join(','),
    'tls-cert-file': certFile,
    'tls-private-key-file': keyFile,
    'token-auth-file': tokenFile,
    ...(options.controllers === true ? { 'client-ca-file': certificates.clientCaFile } : {}),
  };
  await Promise.all(ports.map((port, i) => start('gateway', i + 1, { ...flags, port: String(port) })));
  const endpoints = servers.map((server): Endpoint => ({ server, token: TOKEN, caFile: certificates.caFile }));
  const probe = async (part: string, path: string) => {
    // an address that refuses or breaks the connection: the part is starting, stopping or gone
    const reply = await fetch(`http://${opsAddresses.get(part)}${path}`).catch(() => undefined);
    return reply && { code: reply.status, text: await reply.text() };
  };
  const stop = async (): Promise<void> => {
    for (const part of [...parts.values()].reverse()) await part.stop();
    await Promise.all([postgres.stop(), nats?.stop()]);
    certificates.remove();
    temporary.remove();
  };
  const isReady = async (part: string) => (await probe(part, '/readyz'))?.code === 200;
  try {
    for (const i of each) await until(`gateway ${i} to be ready`, () => isReady(`gateway-${i}`), START_MS);
  } catch (error) {
    const logs = [...parts].map(([name, part]) => `log of ${name}:\n${part.logTail()}`);
    await stop();
    throw new Error([String(error), ...logs].join('\n'));
  }
  return {
    endpoints,
    parts,
    postgres,
    nats,
    stores,
    certificates,
    probe,
    ready: isReady,
    restart: async (name) => {
      const part = parts.get(name) as PartProcess;
      const { pid } = part;
      process.kill(pid, 'SIGTERM');
      await until(`${name} to be started again`, () => part.pid !== pid, 60_000);
      await until(`${name} to be ready`, () => isReady(name), 60_000);
    },
    failures: (name) => {
      const part = parts.get(name) as PartProcess;
      return part.exits.every((exit) => exit === 0) ? '' : `${name} exited with ${part.exits}: ${part.logTail()}`;
    },
    metric: (part, name) => metricAt(opsAddresses.get(part) as string, name),
    stop,
  };
}

function controllerFlags(server: string, { caFile, controllers }: TestCertificates) {
  return {
    'gateway-url': server,
    'gateway-ca-file': caFile,
    'gateway-cert-file': controllers.certFile,
    'gateway-key-file': controllers.keyFile,
  };
}
