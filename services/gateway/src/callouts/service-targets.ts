import { randomInt } from 'node:crypto';
import type { Collection } from '@tidegate/collection';
import { isJsonObject, type JsonObject, listOf, parseOwnJson } from '@tidegate/schema';

/** A reference to a Service of this cluster, in the configuration of a webhook or an APIService. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

/** The address or host name at which a Service is reached. */
export interface ServiceTarget {
  readonly host: string;
  readonly port: number;
}

/** A Service has no target. The reason comes from objects of the API, so clients may see it. */
export class NoTarget extends Error {}

/** The mirrored collection of a resource, which may be stale. */
export type FindCollection = (resource: string) => Promise<Collection>;

export const SLICES = 'endpointslices.discovery.k8s.io';
const SERVICE_NAME = 'kubernetes.io/service-name';

/**
 * Resolves Services to one of their ready addresses, chosen at random, so that no proxy of the cluster is needed;
 * without endpoints to the cluster IP.
 */
export class ServiceTargets {
  readonly #find: FindCollection;

  constructor(find: FindCollection) {
    this.#find = find;
  }

  async find({ namespace, name, port: wanted = 443 }: ServiceReference): Promise<ServiceTarget> {
    const service = objectIn(await this.#find('services'), namespace, name);
    if (service === undefined) throw new NoTarget(`service ${JSON.stringify(name)} not found`);
    const spec = isJsonObject(service.spec) ? service.spec : {};
    if (spec.type === 'ExternalName') return { host: String(spec.externalName ?? ''), port: wanted };
    const port = listOf(spec, 'ports').find((each) => each.port === wanted);
    if (port === undefined) {
      throw new NoTarget(`no service port ${wanted} found for service ${JSON.stringify(name)}`);
    }
    const portName = String(port.name ?? '');
    const ready = [
      ...(await this.#ofSlices(namespace, name, portName)),
      ...(await this.#ofEndpoints(namespace, name, portName)),
    ];
    if (ready.length > 0) return ready[randomInt(ready.length)] as ServiceTarget;
    const { clusterIP = '' } = spec;
    if (isJsonObject(spec.selector) || clusterIP === '' || clusterIP === 'None') {
      throw new NoTarget(`no endpoints available for service ${JSON.stringify(name)}`);
    }
    return { host: String(clusterIP), port: wanted };
  }

  async #ofSlices(namespace: string, service: string, portName: string): Promise<ServiceTarget[]> {
    const slices = slicesOf(await this.#find(SLICES), namespace, service);
    return slices.flatMap((slice) => {
      const ready = listOf(slice, 'endpoints').filter(
        ({ conditions }) => !isJsonObject(conditions) || conditions.ready !== false,
      );
      const addresses = ready.flatMap((endpoint) => (Array.isArray(endpoint.addresses) ? endpoint.addresses : []));
      return pairs(addresses, listOf(slice, 'ports'), portName);
    });
  }

  async #ofEndpoints(namespace: string, service: string, portName: string): Promise<ServiceTarget[]> {
    const endpoints = objectIn(await this.#find('endpoints'), namespace, service);
    return listOf(endpoints, 'subsets').flatMap((subset) => {
      const addresses = listOf(subset, 'addresses').map(({ ip }) => ip);
      return pairs(addresses, listOf(subset, 'ports'), portName);
    });
  }
}

function pairs(addresses: readonly unknown[], ports: readonly JsonObject[], portName: string): ServiceTarget[] {
  return ports
    .filter(({ name = '' }) => name === portName)
    .flatMap(({ port }) => addresses.map((host) => ({ host: String(host), port: Number(port) })));
}

export function objectIn(collection: Collection, namespace: string, name: string): JsonObject | undefined {
  const item = collection.get(namespace, name);
  return item === undefined ? undefined : parseOwnJson(item.json);
}

export function slicesOf(collection: Collection, namespace: string, service: string): JsonObject[] {
  const found: JsonObject[] = [];
  for (const { items, from, to } of collection.snapshot().runs(namespace)) {
    for (const { json, labels } of items.slice(from, to)) {
      if (labels[SERVICE_NAME] === service) found.push(parseOwnJson(json));
    }
  }
  return found;
}
