import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Registry } from '@tidegate/kinds';
import { type BuildInfo, buildInfo, type Endpoint, type Kit } from '@tidegate/service-kit';
import { type ServedElsewhere, servedGroups } from './served-groups.ts';

/** The address and the root paths of this server. */
export interface ServerFacts {
  /** the address for clients: host and port */
  readonly serverAddress: string;
  /** paths outside of groups: health checks, metrics, keys */
  readonly paths: () => readonly string[];
}

export const NO_FACTS: ServerFacts = { serverAddress: '', paths: () => [] };
const ALWAYS = ['/api', '/api/v1', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'];

/** The answer to `/`: all served paths, sorted. */
export function rootPaths(registry: Registry, elsewhere: ServedElsewhere, facts: ServerFacts): string[] {
  const named = servedGroups(registry, elsewhere, 'plain').filter(({ group }) => group !== '');
  const ofGroups = named.flatMap(({ group, versions }) => [
    `/apis/${group}`,
    ...versions.map(({ version }) => `/apis/${group}/${version}`),
  ]);
  return [...new Set([...ALWAYS, ...ofGroups, ...facts.paths()])].sort();
}

interface Listening {
  readonly bindAddress: string;
  readonly port: number;
}

const PROBES: readonly Endpoint[] = ['healthz', 'livez', 'readyz'];
const OTHERS = ['/.well-known/openid-configuration', '/metrics', '/openid/v1/jwks'];

/** The facts of this process, from its listener and its health checks. */
export function serverFacts({ bindAddress, port }: Listening, { checks }: Pick<Kit, 'checks'>): ServerFacts {
  const address = isUnspecified(bindAddress) ? ownAddress() : bindAddress;
  return {
    serverAddress: `${isIPv6(address) ? `[${address}]` : address}:${port}`,
    paths: () => [
      ...OTHERS,
      ...PROBES.flatMap((probe) => [`/${probe}`, ...checks.at(probe).map(({ name }) => `/${probe}/${name}`)]),
    ],
  };
}

function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** The first external address of this machine; loopback where there is none. */
function ownAddress(interfaces = networkInterfaces()): string {
  const ours = Object.values(interfaces).flatMap((list) => list ?? []);
  const reachable = ours.filter(({ internal }) => !internal);
  return (reachable.find(({ family }) => family === 'IPv4') ?? reachable[0])?.address ?? '127.0.0.1';
}

const ROOT = join(import.meta.dirname, '../../../..');

/** The Kubernetes release whose API this server implements. */
export const release = { major: '1', minor: '35' } as const;

/** The answer to /version: a Kubernetes version, because clients adapt to it. */
export async function version(build: Promise<BuildInfo> = buildInfo(ROOT)) {
  const { commit, treeState, date } = await build;
  return {
    ...release,
    emulationMajor: '1',
    emulationMinor: '35',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '34',
    gitVersion: 'v1.35.0+tidegate.0.1.0',
    gitCommit: commit,
    gitTreeState: treeState,
    buildDate: date,
    goVersion: '',
    compiler: `node ${process.versions.node}`,
    platform: `${process.platform}/${process.arch}`,
  };
}
