import type { GatewayClient } from './gateway-client.ts';

interface FirstObject {
  readonly collection: string;
  readonly object: Record<string, unknown>;
}

const FLOW = 'flowcontrol.apiserver.k8s.io/v1';
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

const ANYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

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
  priorityLevel('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  priorityLevel('catch-all', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  }),
  flowSchema('exempt', { matchingPrecedence: 1, groups: ['system:masters'] }),
  flowSchema('catch-all', {
    matchingPrecedence: 10_000,
    groups: ['system:unauthenticated', 'system:authenticated'],
    distinguisherMethod: { type: 'ByUser' },
  }),
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

function priorityLevel(name: string, spec: Record<string, unknown>): FirstObject {
  return {
    collection: `/apis/${FLOW}/prioritylevelconfigurations`,
    object: { apiVersion: FLOW, kind: 'PriorityLevelConfiguration', metadata: { name, annotations }, spec },
  };
}

function flowSchema(name: string, { groups, ...spec }: { groups: string[] } & Record<string, unknown>): FirstObject {
  const subjects = groups.map((group) => ({ kind: 'Group', group: { name: group } }));
  const rules = [{ subjects, ...ANYTHING }];
  return {
    collection: `/apis/${FLOW}/flowschemas`,
    object: {
      apiVersion: FLOW,
      kind: 'FlowSchema',
      metadata: { name, annotations },
      spec: { ...spec, priorityLevelConfiguration: { name }, rules },
    },
  };
}
