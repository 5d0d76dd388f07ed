import { printTime } from '@tidegate/schema';
import type { Gateway } from '../port.ts';

interface FirstObject {
  readonly collection: string;
  readonly object: Record<string, unknown> & { readonly metadata: Record<string, unknown> & { readonly name: string } };
  /** its first status, which is written after the object */
  readonly status?: Record<string, unknown>;
}

/** Objects that every cluster has from the start. Where an object of the name exists, it is not changed. */
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

/** Creates the first objects; each is retried until it exists. */
export class FirstObjects {
  readonly #gateway: Gateway;
  readonly #missing: Set<FirstObject>;

  constructor(gateway: Gateway, serviceRange: readonly string[]) {
    this.#gateway = gateway;
    this.#missing = new Set([...FIRST_OBJECTS, serviceCidr(serviceRange)]);
  }

  async reconcile(): Promise<void> {
    for (const one of this.#missing) {
      const { code } = await this.#gateway.send('POST', one.collection, one.object);
      if ((code === 201 || code === 409) && (await this.#hasStatus(one))) this.#missing.delete(one);
    }
  }

  /** The status is a second write. A leader that is stopped between the two leaves it to the next leader. */
  async #hasStatus({ collection, object, status }: FirstObject): Promise<boolean> {
    if (status === undefined) return true;
    const path = `${collection}/${object.metadata.name}`;
    const { code, body } = await this.#gateway.send('GET', path);
    if (code !== 200) return false;
    const hasStatus = Object.keys((body.status ?? {}) as object).length > 0;
    return hasStatus || (await this.#gateway.patch(`${path}/status`, { status })).code === 200;
  }
}

/** The address range of Services, for clients that read it from the API. */
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
