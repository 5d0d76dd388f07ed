import { builtInRegistry, type Kind } from '@tidegate/kinds';
import { encodeMessage, inEnvelope, type JsonObject } from '@tidegate/schema';
import { FRESH, INDEX } from './template.ts';

/**
 * The objects that most writes of a cluster concern: pods, their bindings and states, leases of nodes, and events, in
 * the form and of the size in which controllers, scheduler and kubelets send them.
 */
const registry = builtInRegistry();
const TIME = '2026-01-01T00:00:00Z';
const APP = 'web-5d4f8c7b9d';
const LABELS = { app: 'web', 'pod-template-hash': '5d4f8c7b9d' };

export const OWNER_PATH = `replicasets/${APP}`;

export function podName(index: string): string {
  return `${APP}-${index}`;
}

/** The owner of all pods; without it, garbage collection would delete them. */
export const owner: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: APP },
  spec: {
    replicas: 0,
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

const probe = (path: string): JsonObject => ({
  httpGet: { path, port: 8080, scheme: 'HTTP' },
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
});

/** A pod as a replica set creates it: with defaults, and without what the server adds. */
function podOf(ownerUid: string): JsonObject {
  const { name, ...metadata } = { name: podName(INDEX), generateName: `${APP}-`, labels: LABELS };
  const ownerReference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: APP, uid: ownerUid };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      ownerReferences: [{ ...ownerReference, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/web:1.4.2',
          ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
          env: [
            { name: 'MODE', value: 'production' },
            { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
          ],
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          livenessProbe: probe('/healthz'),
          readinessProbe: probe('/readyz'),
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    },
  };
}

/** What a kubelet writes when the pod runs. */
const podStatus: JsonObject = {
  status: {
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: TIME,
    })),
    containerStatuses: [
      {
        name: 'web',
        image: 'registry.example.com/web:1.4.2',
        imageID: `registry.example.com/web@sha256:${'7d'.repeat(32)}`,
        containerID: `containerd://${'3f'.repeat(28)}0${FRESH}`,
        lastState: {},
        ready: true,
        restartCount: 0,
        started: true,
        state: { running: { startedAt: TIME } },
      },
    ],
    hostIP: '10.0.0.1',
    hostIPs: [{ ip: '10.0.0.1' }],
    phase: 'Running',
    podIP: '10.200.0.3',
    podIPs: [{ ip: '10.200.0.3' }],
    startTime: TIME,
  },
};

const event: JsonObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${podName('abcde')}.${INDEX}` },
  involvedObject: {
    ...{ kind: 'Pod', name: podName('abcde'), uid: '0e9d0f6e-7b0c-4a52-8d3c-0a3f4bb1c111', apiVersion: 'v1' },
    ...{ resourceVersion: '4711', fieldPath: 'spec.containers{web}' },
  },
  reason: 'Started',
  message: 'Container started',
  source: { component: 'kubelet', host: 'node-1' },
  firstTimestamp: TIME,
  lastTimestamp: TIME,
  count: 1,
  type: 'Normal',
  reportingComponent: 'kubelet',
  reportingInstance: 'node-1',
};

const binding: JsonObject = {
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: podName(INDEX) },
  target: { kind: 'Node', name: 'node-1' },
};

/** Bodies in which the namespace of their path is left out where the server adds it. */
export function clusterBodies(namespace: string, ownerUid: string) {
  const inNamespace = (object: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...(object.metadata as JsonObject), namespace },
  });
  const about = { ...(event.involvedObject as JsonObject), namespace };
  return {
    pod: protobuf(kindOf('', 'v1', 'pods'), inNamespace(podOf(ownerUid))),
    binding: protobuf(kindOf('', 'v1', 'bindings'), inNamespace(binding)),
    podStatus: Buffer.from(JSON.stringify(podStatus)),
    event: protobuf(kindOf('', 'v1', 'events'), inNamespace({ ...event, involvedObject: about })),
    deletion: protobuf({ schema: registry.meta.deleteOptions }, DELETE_NOW),
  };
}

const DELETE_NOW: JsonObject = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
const LEASE = kindOf('coordination.k8s.io', 'v1', 'leases');

/** The lease of a node; a renewal names the version that it replaces. */
export function leaseBody(namespace: string, name: string, resourceVersion: string): Buffer {
  return protobuf(LEASE, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, ...(resourceVersion === '' ? {} : { resourceVersion }) },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new Date().toISOString().replace('Z', '000Z') },
  });
}

export { LEASE };

function kindOf(group: string, version: string, resource: string): Kind {
  const kind = registry.find(group, version, resource);
  if (kind === undefined) throw new Error(`${resource} are no kind of the registry`);
  return kind;
}

function protobuf({ schema }: Pick<Kind, 'schema'>, object: JsonObject): Buffer {
  const type = { apiVersion: String(object.apiVersion), kind: String(object.kind) };
  return inEnvelope(type, encodeMessage(schema, object));
}
