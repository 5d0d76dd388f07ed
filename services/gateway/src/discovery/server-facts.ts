import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Endpoint, Kit } from '@tidegate/service-kit';
import type { ServerFacts } from './root-paths.ts';

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
