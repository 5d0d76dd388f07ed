import { FLOW_CONTROL_OBJECTS } from './flow-control-objects.ts';
import type { GatewayClient } from './gateway-client.ts';

export interface FirstObject {
  readonly collection: string;
  readonly object: Record<string, unknown>;
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
  ...FLOW_CONTROL_OBJECTS,
];

/** Makes them, each until it is there. */
export class FirstObjects {
  readonly #gateway: GatewayClient;
  readonly #missing = new Set(FIRST_OBJECTS);

  constructor(gateway: GatewayClient) {
    this.#gateway = gateway;
  }

  async round(): Promise<void> {
    for (const one of this.#missing) {
      const { code } = await this.#gateway.send('POST', one.collection, one.object);
      if (code === 201 || code === 409) this.#missing.delete(one);
    }
  }
}

function priorityClass(name: string, value: number, description: string): FirstObject {
  const apiVersion = 'scheduling.k8s.io/v1';
  return {
    collection: `/apis/${apiVersion}/priorityclasses`,
    object: { apiVersion, kind: 'PriorityClass', metadata: { name }, value, description },
  };
}
