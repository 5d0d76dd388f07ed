import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { rulesOf } from '../families.ts';

/** The warnings of an accepted object, with the texts of kube-apiserver. */
function warningsOf(resource: string, object: JsonObject, old?: JsonObject): string[] {
  const [name = '', ...group] = resource.split('.');
  return rulesOf(group.join('.'), 'v1', name).warn?.(object, old) ?? [];
}

const annotated = (annotations: JsonObject, spec: JsonObject = {}): JsonObject => ({ metadata: { annotations }, spec });

test('a node gets warnings for fields without effect, and for networks in an unusual form', () => {
  const spec = { configSource: {}, externalID: 'i-1', podCIDRs: ['10.0.0.0/24', '010.0.1.0/24'] };
  assert.deepEqual(warningsOf('nodes', { spec }), [
    'spec.configSource: the feature is removed',
    'spec.externalID: this field is deprecated, and is unused by Kubernetes',
    'spec.podCIDRs[1]: non-standard CIDR value "010.0.1.0/24" will be considered invalid in a future Kubernetes release: use "10.0.1.0/24"',
  ]);
  assert.deepEqual(warningsOf('nodes', { spec: { podCIDRs: ['10.0.0.0/24'] } }), []);
});

test('a volume gets warnings for deprecated annotations, its reclaim policy, and deprecated labels', () => {
  const volume = annotated(
    { 'volume.beta.kubernetes.io/storage-class': 'gold', 'volume.beta.kubernetes.io/mount-options': 'ro' },
    {
      persistentVolumeReclaimPolicy: 'Recycle',
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] }] },
      },
      rbd: {},
      flocker: {},
    },
  );
  assert.deepEqual(warningsOf('persistentvolumes', volume), [
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
  ]);
  assert.deepEqual(warningsOf('persistentvolumes', annotated({}, { persistentVolumeReclaimPolicy: 'Retain' })), []);
});

test('a claim gets warnings for a class in an annotation, and for fractions of bytes', () => {
  const claim = annotated(
    { 'volume.beta.kubernetes.io/storage-class': 'gold' },
    { resources: { requests: { storage: '1500m' } } },
  );
  assert.deepEqual(warningsOf('persistentvolumeclaims', claim), [
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ]);
});

test('deprecated node labels cause a warning in every node selector', () => {
  const key = 'failure-domain.beta.kubernetes.io/zone';
  const words = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead';
  const topology = { matchLabelExpressions: [{ key: 'kubernetes.io/os' }, { key }] };
  assert.deepEqual(warningsOf('storageclasses.storage.k8s.io', { allowedTopologies: [topology] }), [
    `allowedTopologies[0].matchLabelExpressions[1].key: ${words}`,
  ]);
  const nodeTopology = { matchLabels: { [key]: 'a' }, matchExpressions: [{ key, operator: 'Exists' }] };
  assert.deepEqual(warningsOf('csistoragecapacities.storage.k8s.io', { nodeTopology }), [
    `nodeTopology.matchExpressions[0].key: ${key} is ${words}`,
    `nodeTopology.matchLabels.${key}: ${words}`,
  ]);
  assert.deepEqual(warningsOf('runtimeclasses.node.k8s.io', { scheduling: { nodeSelector: { [key]: 'a' } } }), [
    `scheduling.nodeSelector: ${words}`,
  ]);
});

test('a driver with token requests gets a warning until it sets serviceAccountTokenInSecrets, and again when the requests change', () => {
  const driver = (audience: string, spec: JsonObject = {}) => ({ spec: { tokenRequests: [{ audience }], ...spec } });
  const words =
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';
  const of = (object: JsonObject, old?: JsonObject) => warningsOf('csidrivers.storage.k8s.io', object, old);
  assert.deepEqual(of(driver('a')), [words]);
  assert.deepEqual(of(driver('a'), driver('a')), []);
  assert.deepEqual(of(driver('a'), driver('b')), [words]);
  assert.deepEqual(of(driver('a', { serviceAccountTokenInSecrets: false })), []);
  assert.deepEqual(of({ spec: { tokenRequests: [] } }), []);
});

test('a resource driver gets a warning for capital letters in its name', () => {
  const of = (driver: string) => warningsOf('resourceslices.resource.k8s.io', { spec: { driver } });
  assert.deepEqual(of('gpu.example.com'), []);
  assert.deepEqual(of('GPU.example.com'), [
    'spec.driver: driver names should be lowercase; "GPU.example.com" contains uppercase characters',
  ]);
});

test('a quota gets a warning for a limit below its request, only when it is created', () => {
  const hard = { cpu: '2', 'limits.cpu': '1', 'requests.memory': '1Gi', 'limits.memory': '1Gi', storage: '9' };
  const words = ['ResourceQuota cpu (2) should be less than limits.cpu (1)'];
  assert.deepEqual(warningsOf('resourcequotas', { spec: { hard } }), words);
  assert.deepEqual(warningsOf('resourcequotas', { spec: { hard } }, { spec: { hard } }), []);
});

test('a TLS secret gets a warning when its key or certificate is of the wrong type, or invalid', () => {
  const pem = (...types: string[]) =>
    Buffer.from(types.map((type) => `-----BEGIN ${type}-----\nAA==\n-----END ${type}-----\n`).join('')).toString(
      'base64',
    );
  const of = (crt?: string, key?: string) =>
    warningsOf('secrets', {
      type: 'kubernetes.io/tls',
      data: { ...(crt !== undefined && { 'tls.crt': crt }), ...(key !== undefined && { 'tls.key': key }) },
    });
  assert.deepEqual(of(), ['tls: failed to find any PEM data in certificate input']);
  assert.deepEqual(of(pem('EC PRIVATE KEY')), [
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ]);
  assert.deepEqual(of(pem('A', 'B')), [
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ]);
  assert.deepEqual(of(pem('CERTIFICATE')), ['tls: failed to find any PEM data in key input']);
  assert.deepEqual(of(pem('CERTIFICATE'), pem('CERTIFICATE')), [
    'tls: found a certificate rather than a key in the PEM for the private key',
  ]);
  assert.deepEqual(of(pem('CERTIFICATE'), pem('A', 'B')), [
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A B]',
  ]);
  assert.deepEqual(of(pem('CERTIFICATE'), pem('PRIVATE KEY')), ['x509: malformed certificate']);
  assert.deepEqual(warningsOf('secrets', { type: 'Opaque', data: {} }), []);
});

test('an account gets a warning when the annotation for mountable secrets is set', () => {
  const account = annotated({ 'kubernetes.io/enforce-mountable-secrets': 'true' });
  const words =
    'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  assert.deepEqual(warningsOf('serviceaccounts', account), [words]);
  assert.deepEqual(warningsOf('serviceaccounts', account, annotated({})), [words]);
  assert.deepEqual(warningsOf('serviceaccounts', account, account), []);
});
