import { randomInt } from 'node:crypto';
import { type Kind, metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { ApiError } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { latestCollection } from '../rules/fresh-collection.ts';
import { podOf, read } from './pod-node.ts';
import type { SchemeNamePort } from './scheme-name-port.ts';

interface Endpoint {
  readonly ip: string;
  readonly port: number;
  /** of the port */
  readonly name: string;
  /** the pod that it is said to be */
  readonly pod: string;
}

/**
 * One of a Service's addresses that are ready, by chance. It must be the address of the pod that it is said to be: who may
 * write endpoints must not choose where this server connects to.
 */
export async function serviceAddress(
  gateway: Gateway,
  request: ResourceRequest,
  wanted: SchemeNamePort,
): Promise<{ ip: string; port: number }> {
  const portName = await portNameOf(gateway, request, wanted);
  const found = await endpointsOf(gateway, request, wanted.name);
  const candidates = found.filter(({ name }) => name === portName);
  const first = candidates.length === 0 ? 0 : randomInt(candidates.length);
  for (const i of candidates.keys()) {
    const endpoint = candidates[(first + i) % candidates.length] as Endpoint;
    if (await isThatPod(gateway, request, endpoint)) return endpoint;
  }
  throw none(found.length === 0 ? wanted.name : request.info.name);
}

function none(name: string): ApiError {
  return new ApiError('ServiceUnavailable', `no endpoints available for service ${JSON.stringify(name)}`);
}

/** A port is asked for by its name; a number is the Service's own, and stands for a name. */
async function portNameOf(gateway: Gateway, request: ResourceRequest, { name, port }: SchemeNamePort): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = await read(gateway, request, { resource: 'services', namespace: request.info.namespace, name });
  const ports = listIn(service.spec, 'ports');
  const found = ports.find((each) => each.port === Number(port));
  if (found !== undefined) return String(found.name ?? '');
  throw new ApiError('ServiceUnavailable', `no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
}

/** From the Endpoints of that name; where there are none, from the Service's slices. */
async function endpointsOf(gateway: Gateway, request: ResourceRequest, name: string): Promise<Endpoint[]> {
  const { namespace } = request.info;
  try {
    return ofEndpoints(await read(gateway, request, { resource: 'endpoints', namespace, name }), namespace);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error;
    const slices = await slicesOf(gateway, request, name);
    if (slices.length === 0) throw error;
    return slices.flatMap((slice) => ofSlice(slice, namespace));
  }
}

function ofEndpoints(endpoints: JsonObject, namespace: string): Endpoint[] {
  return listIn(endpoints, 'subsets').flatMap((subset) =>
    listIn(subset, 'addresses').flatMap((address) => pairs(address, [String(address.ip)], subset, namespace)),
  );
}

function ofSlice(slice: JsonObject, namespace: string): Endpoint[] {
  const ready = listIn(slice, 'endpoints').filter(
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
  return listIn(withPorts, 'ports').flatMap(({ name, port }) =>
    addresses.map((ip) => ({ ip, port: Number(port), name: String(name ?? ''), pod })),
  );
}

async function slicesOf(gateway: Gateway, request: ResourceRequest, service: string): Promise<JsonObject[]> {
  const kind = gateway.registry.find('discovery.k8s.io', 'v1', 'endpointslices') as Kind;
  const collection = await latestCollection(gateway, { ...request, kind });
  const found: JsonObject[] = [];
  for (const run of collection.snapshot().runs(request.info.namespace)) {
    for (const item of run.items.slice(run.from, run.to)) {
      const slice = JSON.parse(item.json.toString('utf8')) as JsonObject;
      if (metaOf(slice).labels?.['kubernetes.io/service-name'] === service) found.push(slice);
    }
  }
  return found;
}

async function isThatPod(gateway: Gateway, request: ResourceRequest, { pod, ip }: Endpoint): Promise<boolean> {
  try {
    const { status } = await podOf(gateway, request, pod);
    return listIn(status, 'podIPs').some((each) => each.ip === ip);
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return false;
    throw error;
  }
}

export function listIn(object: unknown, name: string): JsonObject[] {
  const list = isJsonObject(object) ? object[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
