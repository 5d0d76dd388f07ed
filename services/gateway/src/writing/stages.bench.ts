import {
  builtInRegistry,
  type Kind,
  prepareCreate,
  prepareUpdate,
  validateMeta,
  validateMetaUpdate,
} from '@tidegate/kinds';
import {
  copyOf,
  encodeMessage,
  frozen,
  type Json,
  type JsonObject,
  parseOwnJson,
  strategicMerge,
} from '@tidegate/schema';
import { decodeObject } from '../codec/decode-body.ts';
import { protobuf } from '../codec/encodings.ts';
import { STRATEGIC_PATCH } from '../codec/media-types.ts';
import { asParsed, storedForm, withResourceVersion } from '../codec/stored-form.ts';
import { ownChanged, ownCreated } from '../ownership/own-fields.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { admitBody, admitPatched } from './admit-object.ts';

/**
 * Prints the CPU time of the stages of writing a typical pod, in microseconds, the best of several rounds:
 * `node bin/run.js services/gateway/src/writing/stages.bench.ts [word]`.
 */
const ROUNDS = 30;
const RUNS = 300;
const NAME = 'web-5d4f8c7b9d-abcde';
const TIME = '2026-01-01T00:00:00Z';
const ACCOUNT_VOLUME = 'kube-api-access-abcde';

const pod: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: NAME,
    generateName: 'web-5d4f8c7b9d-',
    namespace: 'default',
    labels: { app: 'web', 'pod-template-hash': '5d4f8c7b9d' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-5d4f8c7b9d',
        uid: '0e9d0f6e-7b0c-4a52-8d3c-0a3f4bb1c111',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
        volumeMounts: [
          { name: ACCOUNT_VOLUME, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
      },
    ],
    volumes: [
      {
        name: ACCOUNT_VOLUME,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
        },
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    nodeName: 'node-1',
    tolerations: ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
  },
};
const status: JsonObject = {
  phase: 'Pending',
  qosClass: 'BestEffort',
  conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: TIME }],
};
const ready: JsonObject = {
  status: {
    phase: 'Running',
    podIP: '10.200.0.3',
    hostIP: '10.0.0.1',
    startTime: TIME,
    conditions: ['Ready', 'Initialized'].map((type) => ({ type, status: 'True', lastTransitionTime: TIME })),
    containerStatuses: [{ name: 'web', image: 'web:1', ready: true, state: { running: { startedAt: TIME } } }],
  },
};

const registry = builtInRegistry();
const kind = registry.find('', 'v1', 'pods') as Kind;
const { schema, entry } = kind;
const body = protobuf.document({ value: pod, schema }, false);
const patchBody = Buffer.from(JSON.stringify(ready));
const creating = requestOf('create', 'application/vnd.kubernetes.protobuf', body);
const patching = requestOf('patch', STRATEGIC_PATCH, patchBody, 'status');

const created = admitBody(creating);
ownCreated(registry, creating, created);
prepareCreate(kind, created, { name: 'a', uid: 'b', groups: [] });
created.status = status as Json;
const stored = storedForm(kind, created);
const json = withResourceVersion(stored, 1234567);
const current = frozen(asParsed(kind, created, 1234567));
const merged = strategicMerge(schema, current, ready);
const patched = admitPatched(patching, merged, current);
prepareUpdate(kind, patched, current, 'status');
const encoded = encodeMessage(schema, current);

const stages: Readonly<Record<string, () => unknown>> = {
  'create: decode': () => decodeObject(schema, body, creating.contentType),
  'create: decode, clean, set defaults': () => admitBody(creating),
  'create: own fields': () => ownCreated(registry, creating, withoutOwners(created)),
  'create: validate': () => [...validateMeta(entry, created), ...(entry.validate?.(created) ?? [])],
  'patch of the status: merge': () => strategicMerge(schema, current, ready),
  'patch of the status: clean, set defaults': () => admitPatched(patching, merged, current),
  'patch of the status: own fields': () => ownChanged(registry, patching, withoutOwners(patched), current),
  'patch of the status: validate': () => [
    ...validateMetaUpdate(patched, current),
    ...validateMeta(entry, patched),
    ...(entry.validate?.(patched, 'status') ?? []),
    ...(entry.validateUpdate?.(patched, current, 'status') ?? []),
  ],
  serialize: () => storedForm(kind, created),
  'insert the resourceVersion': () => withResourceVersion(stored, 1234567),
  'keep for later': () => frozen(asParsed(kind, copyOf(created), 1234567)),
  parse: () => parseOwnJson(json),
  'encode as Protobuf': () => protobuf.document({ value: current, schema }, false),
  'event in Protobuf': () => protobuf.event('MODIFIED', encoded),
};

process.stdout.write(`${body.length} bytes of Protobuf, ${json.length} bytes of JSON\n`);
const [, , word = ''] = process.argv;
for (const [name, run] of Object.entries(stages)) {
  if (!name.includes(word)) continue;
  const costs = Array.from({ length: ROUNDS }, () => costOf(run));
  // other load on the machine can only make the time longer
  process.stdout.write(
    `${Math.min(...costs)
      .toFixed(1)
      .padStart(6)} ${name}\n`,
  );
}

function costOf(run: () => unknown): number {
  const before = process.cpuUsage();
  for (let i = 0; i < RUNS; i++) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / RUNS;
}

function withoutOwners(object: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
}

function requestOf(verb: string, contentType: string, bytes: Buffer, subresource = ''): ResourceRequest {
  const query = { get: () => undefined, all: () => [], flag: () => false };
  const name = verb === 'create' ? '' : NAME;
  const info = { verb, namespace: 'default', name, subresource, query };
  return { kind, body: bytes, contentType, userAgent: 'kubelet', warnings: [], info } as unknown as ResourceRequest;
}
