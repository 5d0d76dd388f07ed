import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { isSpecial, parseAddress, unmapped } from '@tidegate/addresses';
import type { Key } from '@tidegate/wire';
import type { Gateway } from '../port.ts';

/** programs in a cluster find its API by this name */
const NAME = 'kubernetes';
const NAMESPACE = 'default';
/** an address may change without a change in the log */
const RECHECK_MS = 10_000;

interface KubernetesServiceOptions {
  gateway: Gateway;
  gatewayUrl: string;
  /** empty: the addresses are looked up */
  advertiseAddresses: readonly string[];
  now?: () => number;
}

interface Wanted {
  readonly collection: string;
  readonly object: Record<string, unknown>;
}

/**
 * Creates the Service `kubernetes` with its endpoints, and updates them when addresses change. The gateway sets its
 * cluster IP, for which it reserves the first address of the range.
 */
export class KubernetesService {
  readonly #options: KubernetesServiceOptions;
  readonly #now: () => number;
  #recheckAt = 0;

  constructor(options: KubernetesServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    const touched = changed?.some(({ namespace, name }) => namespace === NAMESPACE && name === NAME) ?? true;
    if (!touched && this.#now() < this.#recheckAt) return;
    // a pass that fails is repeated at once
    this.#recheckAt = 0;
    const { gatewayUrl, advertiseAddresses } = this.#options;
    const addresses = advertiseAddresses.length > 0 ? [...advertiseAddresses].sort() : await addressesOf(gatewayUrl);
    const wanted = wantedObjects(addresses, Number(new URL(gatewayUrl).port || 443));
    const done = await Promise.all(wanted.map((one) => this.#write(one)));
    if (done.every(Boolean)) this.#recheckAt = this.#now() + RECHECK_MS;
  }

  async #write({ collection, object }: Wanted): Promise<boolean> {
    const { gateway } = this.#options;
    const { code, body } = await gateway.send('GET', `${collection}/${NAME}`);
    if (code === 404) return (await gateway.send('POST', collection, object)).code === 201;
    if (code !== 200) return false;
    const { kind, apiVersion, metadata, ...content } = object;
    const differs = Object.entries(content).filter(([field, value]) => !includes(body[field], value));
    if (differs.length === 0) return true;
    const merged = differs.map(([field, value]) => [
      field,
      Array.isArray(value) ? value : { ...(body[field] as object), ...(value as object) },
    ]);
    const put = await gateway.send('PUT', `${collection}/${NAME}`, { ...body, ...Object.fromEntries(merged) });
    return put.code === 200;
  }
}

/** Whether the present value has all that is wanted; it may have more, for example defaults. */
function includes(present: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(present) &&
      present.length === wanted.length &&
      wanted.every((item, i) => includes(present[i], item))
    );
  }
  if (wanted === null || typeof wanted !== 'object') return isDeepStrictEqual(present, wanted);
  const fields = (present ?? {}) as Record<string, unknown>;
  return Object.entries(wanted).every(([name, value]) => includes(fields[name], value));
}

function wantedObjects(addresses: readonly string[], port: number): Wanted[] {
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const metadata = (labels: Record<string, string>) => ({ name: NAME, namespace: NAMESPACE, labels });
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const family = isIP(addresses[0] ?? '') === 6 ? 'IPv6' : 'IPv4';
  const ofFamily = addresses.filter((address) => isIP(address) === (family === 'IPv6' ? 6 : 4));
  return [
    {
      collection: `${core}/services`,
      object: {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: metadata({ component: 'apiserver', provider: NAME }),
        spec: {
          type: 'ClusterIP',
          ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
          sessionAffinity: 'None',
        },
      },
    },
    {
      collection: `${core}/endpoints`,
      object: {
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: metadata({ 'endpointslice.kubernetes.io/skip-mirror': 'true' }),
        subsets: addresses.length === 0 ? [] : [{ addresses: addresses.map((ip) => ({ ip })), ports }],
      },
    },
    {
      collection: `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`,
      object: {
        kind: 'EndpointSlice',
        apiVersion: 'discovery.k8s.io/v1',
        metadata: metadata({ 'kubernetes.io/service-name': NAME }),
        addressType: family,
        endpoints: ofFamily.map((address) => ({ addresses: [address], conditions: { ready: true } })),
        ports,
      },
    },
  ];
}

/** The gateways' addresses: those of the host in their URL, or this machine's address where the host is a loopback name. */
async function addressesOf(url: string, interfaces = networkInterfaces()): Promise<string[]> {
  const found = await lookup(new URL(url).hostname.replace(/^\[|\]$/g, ''), { all: true });
  const reachable = found.map(({ address }) => address).filter(isReachable);
  if (reachable.length > 0) return [...new Set(reachable)].sort();
  const ours = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && isReachable(address));
  const first = ours.find(({ family }) => family === 'IPv4') ?? ours[0];
  return first === undefined ? [] : [first.address];
}

/** Every machine has its own special addresses, for example loopback, so an endpoint with one is invalid. */
function isReachable(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && !isSpecial(unmapped(address));
}
