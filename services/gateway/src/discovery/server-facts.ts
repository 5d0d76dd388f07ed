import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Registry } from '@tidegate/kinds';
import { type BuildInfo, buildInfo, type Endpoint, type Kit } from '@tidegate/service-kit';
import { type ServedElsewhere, servedGroups } from './served-groups.ts';

/** What the root of the API tells of this server, beside what the registry has. */
export interface ServerFacts {
  /** where clients reach it: host and port */
  readonly serverAddress: string;
  /** paths that belong to no group: health checks, metrics, keys */
  readonly paths: () => readonly string[];
}

export const NO_FACTS: ServerFacts = { serverAddress: '', paths: () => [] };
const ALWAYS = ['/api', '/api/v1', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'];

/** `/`: every path under which something is served, in order. */
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

/** What this process knows of where it is reached, and of the paths that no kind stands for. */
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

/** The first address that others can reach; loopback where there is none. */
function ownAddress(interfaces = networkInterfaces()): string {
  const ours = Object.values(interfaces).flatMap((list) => list ?? []);
  const reachable = ours.filter(({ internal }) => !internal);
  return (reachable.find(({ family }) => family === 'IPv4') ?? reachable[0])?.address ?? '127.0.0.1';
}

const ROOT = join(import.meta.dirname, '../../../..');

/** The release of Kubernetes whose API is spoken here. */
export const release = { major: '1', minor: '35' } as const;

/** What /version answers: a Kubernetes-compatible version, because clients choose their behaviour by it. */
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
