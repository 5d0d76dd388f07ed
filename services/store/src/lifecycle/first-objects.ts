import { printTime } from '@tidegate/schema';
import type { GatewayClient } from './gateway-client.ts';

export interface FirstObject {
  readonly collection: string;
  readonly object: Record<string, unknown> & { readonly metadata: Record<string, unknown> & { readonly name: string } };
  /** what is said of it by its maker, once it is there */
  readonly status?: Record<string, unknown>;
}

/** What every cluster has from its beginning, beside its namespaces: found there by name, and left as it is. */
const FIRST_OBJECTS: readonly FirstObject[] = [
  priorityClass(
    'system-node-critical',
    2_000_001_000,
    'For pods of the system that must stay on the node where they are.',
  ),
  priorityClass(
    'system-cluster-critical',
    2_000_000_000,
    'For pods of the system that must run somewhere in the cluster.',
  ),
];

/** Makes them, each until it is there. */
export class FirstObjects {
  readonly #gateway: GatewayClient;
  readonly #missing: Set<FirstObject>;

  constructor(gateway: GatewayClient, serviceRange: readonly string[]) {
    this.#gateway = gateway;
    this.#missing = new Set([...FIRST_OBJECTS, serviceCidr(serviceRange)]);
  }

  async round(): Promise<void> {
    for (const one of this.#missing) {
      const { code } = await this.#gateway.send('POST', one.collection, one.object);
      if ((code === 201 || code === 409) && (await this.#hasStatus(one))) this.#missing.delete(one);
    }
  }

  /** Its status is a second write: whoever was stopped in between is followed by somebody who makes it. */
  async #hasStatus({ collection, object, status }: FirstObject): Promise<boolean> {
    if (status === undefined) return true;
    const path = `${collection}/${object.metadata.name}`;
    const { code, body } = await this.#gateway.send('GET', path);
    if (code !== 200) return false;
    const isSaid = Object.keys((body.status ?? {}) as object).length > 0;
    return isSaid || (await this.#gateway.patch(`${path}/status`, { status })).code === 200;
  }
}

/** From where Services get their addresses, for those who ask the API for it. */
function serviceCidr(cidrs: readonly string[]): FirstObject {
  const apiVersion = 'networking.k8s.io/v1';
  const message = 'Kubernetes default Service CIDR is ready';
  const ready = { type: 'Ready', status: 'True', reason: '', message, lastTransitionTime: printTime() };
  return {
    collection: `/apis/${apiVersion}/servicecidrs`,
    object: { apiVersion, kind: 'ServiceCIDR', metadata: { name: 'kubernetes' }, spec: { cidrs } },
    status: { conditions: [ready] },
  };
}

function priorityClass(name: string, value: number, description: string): FirstObject {
  const apiVersion = 'scheduling.k8s.io/v1';
  return {
    collection: `/apis/${apiVersion}/priorityclasses`,
    object: { apiVersion, kind: 'PriorityClass', metadata: { name }, value, description },
  };
}
