/**
 * What stands in a cluster for flow control from its beginning: two levels that cannot be missed, and others that are
 * suggested, in the shares and order that kube-apiserver gives them.
 */
import type { FirstObject } from './first-objects.ts';

const FLOW = 'flowcontrol.apiserver.k8s.io/v1';
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

type Fields = Record<string, unknown>;

const EVERY_RESOURCE = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
const ANYTHING = {
  resourceRules: [EVERY_RESOURCE],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const LEASES = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
const PROBES = ['/healthz', '/readyz', '/livez'];

const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')];
const NODES = [group('system:nodes')];
const MANAGER = user('system:kube-controller-manager');
const SCHEDULER = user('system:kube-scheduler');
const OF_SYSTEM = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };

export const FLOW_CONTROL_OBJECTS: readonly FirstObject[] = [
  level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  limited('catch-all', { shares: 5, lendable: 0 }),
  limited('system', { shares: 30, lendable: 33, queues: 64, hand: 6 }),
  limited('node-high', { shares: 40, lendable: 25, queues: 64, hand: 6 }),
  limited('leader-election', { shares: 10, lendable: 0, queues: 16, hand: 4 }),
  limited('workload-high', { shares: 40, lendable: 50, queues: 128, hand: 6 }),
  limited('workload-low', { shares: 100, lendable: 90, queues: 128, hand: 6 }),
  limited('global-default', { shares: 20, lendable: 50, queues: 128, hand: 6 }),
  flow('exempt', { level: 'exempt', precedence: 1, subjects: [group('system:masters')] }),
  flow('probes', {
    level: 'exempt',
    precedence: 2,
    subjects: EVERYBODY,
    rules: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: PROBES }] },
  }),
  flow('system-leader-election', {
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [MANAGER, SCHEDULER, OF_SYSTEM],
    rules: { resourceRules: [{ ...LEASES, verbs: ['get', 'create', 'update'] }] },
  }),
  flow('system-node-high', {
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: NODES,
    rules: {
      resourceRules: [
        { ...EVERY_RESOURCE, apiGroups: [''], resources: ['nodes', 'nodes/status'] },
        { ...LEASES, verbs: ['*'] },
      ],
    },
  }),
  flow('system-nodes', { level: 'system', precedence: 500, by: 'ByUser', subjects: NODES }),
  flow('kube-controller-manager', {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [MANAGER],
  }),
  flow('kube-scheduler', { level: 'workload-high', precedence: 800, by: 'ByNamespace', subjects: [SCHEDULER] }),
  flow('kube-system-service-accounts', {
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: [OF_SYSTEM],
  }),
  flow('service-accounts', {
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
  }),
  flow('global-default', { level: 'global-default', precedence: 9900, by: 'ByUser', subjects: EVERYBODY }),
  flow('catch-all', { level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: EVERYBODY }),
];

function group(name: string): Fields {
  return { kind: 'Group', group: { name } };
}

function user(name: string): Fields {
  return { kind: 'User', user: { name } };
}

function level(name: string, spec: Fields): FirstObject {
  return {
    collection: `/apis/${FLOW}/prioritylevelconfigurations`,
    object: { apiVersion: FLOW, kind: 'PriorityLevelConfiguration', metadata: { name, annotations }, spec },
  };
}

interface Limits {
  readonly shares: number;
  readonly lendable: number;
  /** what finds no place waits in one of so many queues; without them it is refused */
  readonly queues?: number;
  /** of which each flow is dealt so many */
  readonly hand?: number;
}

function limited(name: string, { shares, lendable, queues, hand }: Limits): FirstObject {
  const queuing = { queues, handSize: hand, queueLengthLimit: 50 };
  const limitResponse = queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing };
  const spec = { nominalConcurrencyShares: shares, lendablePercent: lendable, limitResponse };
  return level(name, { type: 'Limited', limited: spec });
}

interface Flow {
  readonly level: string;
  readonly precedence: number;
  readonly subjects: readonly Fields[];
  /** what tells its flows apart */
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly rules?: Fields;
}

function flow(name: string, { level, precedence, subjects, by, rules = ANYTHING }: Flow): FirstObject {
  const spec = {
    matchingPrecedence: precedence,
    priorityLevelConfiguration: { name: level },
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...rules }],
  };
  return {
    collection: `/apis/${FLOW}/flowschemas`,
    object: { apiVersion: FLOW, kind: 'FlowSchema', metadata: { name, annotations }, spec },
  };
}
