import { randomInt } from 'node:crypto';
import type { Kind, Registry } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { ApiError, badRequest } from '@tidegate/status';
import { slicesOf } from '../callouts/service-targets.ts';
import type { Collections } from '../objects/collections.ts';
import type { Objects } from '../objects/objects.ts';

export interface ServicePorts {
  readonly objects: Pick<Objects, 'core'>;
  readonly collections: Pick<Collections, 'latest'>;
  readonly registry: Pick<Registry, 'find'>;
}

interface Endpoint {
  readonly ip: string;
  readonly port: number;
  /** the name of the port */
  readonly name: string;
  /** the pod that the endpoint references */
  readonly pod: string;
}

/**
 * A random ready address of a Service. It must be an address of the referenced pod, so that users who can write
 * endpoints cannot choose where this server connects to.
 */
export async function serviceAddress(
  ports: ServicePorts,
  namespace: string,
  wanted: SchemeNamePort,
): Promise<{ ip: string; port: number }> {
  const portName = await portNameOf(ports, namespace, wanted);
  const found = await endpointsOf(ports, namespace, wanted.name);
  const candidates = found.filter(({ name }) => name === portName);
  const first = candidates.length === 0 ? 0 : randomInt(candidates.length);
  for (const i of candidates.keys()) {
    const endpoint = candidates[(first + i) % candidates.length] as Endpoint;
    if (await isThatPod(ports, namespace, endpoint)) return endpoint;
  }
  throw none(found.length === 0 ? wanted.name : wanted.asked);
}

function none(name: string): ApiError {
  return new ApiError('ServiceUnavailable', `no endpoints available for service ${JSON.stringify(name)}`);
}

/** The name of the requested port; a number is looked up among the ports of the Service. */
async function portNameOf(ports: ServicePorts, namespace: string, { name, port }: SchemeNamePort): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = await ports.objects.core('services', namespace, name);
  const found = listOf(service.spec, 'ports').find((each) => each.port === Number(port));
  if (found !== undefined) return String(found.name ?? '');
  throw new ApiError('ServiceUnavailable', `no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
}

/** The endpoints from the Endpoints object; where it does not exist, from the EndpointSlices. */
async function endpointsOf(ports: ServicePorts, namespace: string, name: string): Promise<Endpoint[]> {
  try {
    return ofEndpoints(await ports.objects.core('endpoints', namespace, name), namespace);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error;
    const slices = slicesOf(await ports.collections.latest(slicesKind(ports)), namespace, name);
    if (slices.length === 0) throw error;
    return slices.flatMap((slice) => ofSlice(slice, namespace));
  }
}

function ofEndpoints(endpoints: JsonObject, namespace: string): Endpoint[] {
  return listOf(endpoints, 'subsets').flatMap((subset) =>
    listOf(subset, 'addresses').flatMap((address) => pairs(address, [String(address.ip)], subset, namespace)),
  );
}

function ofSlice(slice: JsonObject, namespace: string): Endpoint[] {
  const ready = listOf(slice, 'endpoints').filter(
    ({ conditions }) => !isJsonObject(conditions) || conditions.ready !== false,
  );
  return ready.flatMap((endpoint) => {
    const addresses = Array.isArray(endpoint.addresses) ? endpoint.addresses.map(String) : [];
    return pairs(endpoint, addresses, slice, namespace);
  });
}

function pairs(
  { targetRef }: JsonObject,
  addresses: readonly string[],
  withPorts: JsonObject,
  namespace: string,
): Endpoint[] {
  const pod = isJsonObject(targetRef) && targetRef.namespace === namespace ? String(targetRef.name ?? '') : '';
  if (pod === '') return [];
  return listOf(withPorts, 'ports').flatMap(({ name, port }) =>
    addresses.map((ip) => ({ ip, port: Number(port), name: String(name ?? ''), pod })),
  );
}

function slicesKind({ registry }: ServicePorts): Kind {
  return registry.find('discovery.k8s.io', 'v1', 'endpointslices') as Kind;
}

async function isThatPod(ports: ServicePorts, namespace: string, { pod, ip }: Endpoint): Promise<boolean> {
  try {
    const { status } = await ports.objects.core('pods', namespace, pod);
    return listOf(status, 'podIPs').some((each) => each.ip === ip);
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return false;
    throw error;
  }
}

export interface SchemeNamePort {
  /** the whole path segment */
  readonly asked: string;
  readonly scheme: '' | 'http' | 'https';
  readonly name: string;
  /** a number or a name; may be empty */
  readonly port: string;
}

/** Parses `NAME`, `NAME:PORT` and `SCHEME:NAME:PORT`, the forms of a target in proxy paths. */
export function schemeNamePort(text: string, what: string): SchemeNamePort {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts;
  if (parts.length > 3 || name === '' || (scheme !== '' && scheme !== 'http' && scheme !== 'https')) {
    throw badRequest(`invalid ${what} request ${JSON.stringify(text)}`);
  }
  return { asked: text, scheme, name, port };
}
