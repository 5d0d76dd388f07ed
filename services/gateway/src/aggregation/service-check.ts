import type { Collection } from '@tidegate/collection';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type FindCollection, objectIn, SLICES, slicesOf } from '../callouts/service-targets.ts';
import type { RemoteService } from './api-service.ts';
import { unavailable, type Verdict } from './verdict.ts';

/** the resources of a Service and its endpoints */
export const SERVICE_RESOURCES = ['services', SLICES, 'endpoints'] as const;

/** Checks the Service and its endpoints without a call; undefined: the server may be called. */
export async function checkService(service: RemoteService, find: FindCollection): Promise<Verdict | undefined> {
  const { namespace, name, port } = service;
  const place = `service/${name} in ${JSON.stringify(namespace)}`;
  const object = objectIn(await find('services'), namespace, name);
  if (object === undefined) return unavailable('ServiceNotFound', `${place} is not present`);
  const spec = isJsonObject(object.spec) ? object.spec : {};
  // Services of other types are reached in other ways than by endpoints
  if ((spec.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = listOf(spec, 'ports').find((one) => one.port === port);
  if (found === undefined) return unavailable('ServicePortError', `${place} is not listening on port ${port}`);
  const portName = String(found.name ?? '');
  const slices = slicesOf(await find(SLICES), namespace, name);
  const endpoints = objectIn(await find('endpoints'), namespace, name);
  if (slices.length === 0 && endpoints === undefined) {
    return unavailable('EndpointsNotFound', `cannot find endpointslices for ${place}`);
  }
  if (slices.some((slice) => isReadyIn(slice, portName)) || areReadyIn(endpoints, portName)) return undefined;
  const words = `endpointslices for ${place} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable('MissingEndpoints', words);
}

function isReadyIn(slice: JsonObject, portName: string): boolean {
  const ready = listOf(slice, 'endpoints').some(
    ({ conditions }) => !isJsonObject(conditions) || conditions.ready !== false,
  );
  return ready && hasPort(listOf(slice, 'ports'), portName);
}

function areReadyIn(endpoints: JsonObject | undefined, portName: string): boolean {
  return listOf(endpoints, 'subsets').some(
    (subset) => listOf(subset, 'addresses').length > 0 && hasPort(listOf(subset, 'ports'), portName),
  );
}

function hasPort(ports: readonly JsonObject[], portName: string): boolean {
  return ports.some(({ name = '', port }) => name === portName && typeof port === 'number');
}

/** A text that changes with the Service and its endpoints; objects that are not mirrored count as absent. */
export function stateOf(
  { namespace, name }: RemoteService,
  peek: (resource: string) => Collection | undefined,
): string {
  const [services, slices, endpoints] = SERVICE_RESOURCES.map(peek);
  const revisions = [services?.get(namespace, name)?.revision, endpoints?.get(namespace, name)?.revision];
  for (const { items, from, to } of slices?.snapshot().runs(namespace) ?? []) {
    for (const item of items.slice(from, to)) {
      if (item.labels['kubernetes.io/service-name'] === name) revisions.push(item.revision);
    }
  }
  return revisions.join(' ');
}
