import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const PODS = '/api/v1/namespaces/default/pods';
const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/volumeattributesclasses';
const STORAGE = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('Storage protection', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem(COMPLETE);
    client = system.client;
  });
  after(() => system?.stop());

  const create = async (path: string, body: object) => {
    const reply = await client.request('POST', path, { body });
    assert.equal(reply.code, 201, reply.text);
    return reply.json;
  };
  const isGone = (path: string) => until(`${path} to be gone`, async () => (await client.get(path)).code === 404);
  /** Deletes an object that must be kept; a second object that is deleted later proves that it was processed. */
  const isKept = async (path: string, other: string) => {
    assert.equal((await client.request('DELETE', path)).code, 200);
    assert.equal((await client.request('DELETE', other)).code, 200);
    await isGone(other);
    assert.equal((await client.get(path)).code, 200);
  };
  const pod = (name: string, nodeName: string | undefined, volume: object) => ({
    metadata: { name },
    spec: {
      ...(nodeName && { nodeName }),
      containers: [{ name: 'a', image: 'a' }],
      volumes: [{ name: 'v', ...volume }],
    },
  });

  test('A claim is kept while a pod on a node uses it, and is deleted after the pod.', async () => {
    for (const name of ['used', 'free', 'waited-for']) await create(CLAIMS, { metadata: { name }, spec: STORAGE });
    const { metadata } = (await client.get(`${CLAIMS}/used`)).json;
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
    await create(PODS, pod('user', 'n', { persistentVolumeClaim: { claimName: 'used' } }));
    await create(PODS, pod('waiting', undefined, { persistentVolumeClaim: { claimName: 'waited-for' } }));
    await isKept(`${CLAIMS}/used`, `${CLAIMS}/free`);
    assert.equal((await client.request('DELETE', `${CLAIMS}/waited-for`)).code, 200);
    await isGone(`${CLAIMS}/waited-for`);
    await client.request('DELETE', `${PODS}/user?gracePeriodSeconds=0`);
    await isGone(`${CLAIMS}/used`);
  });

  test('An ephemeral claim of a pod is kept while the pod exists.', async () => {
    for (const name of ['maker-v', 'other']) await create(CLAIMS, { metadata: { name }, spec: STORAGE });
    await create(PODS, pod('maker', 'n', { ephemeral: { volumeClaimTemplate: { spec: STORAGE } } }));
    await isKept(`${CLAIMS}/maker-v`, `${CLAIMS}/other`);
    await client.request('DELETE', `${PODS}/maker?gracePeriodSeconds=0`);
    await isGone(`${CLAIMS}/maker-v`);
  });

  test('A volume is kept while it is bound, and a class while it is used.', async () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
    for (const name of ['bound', 'loose']) await create(VOLUMES, { metadata: { name }, spec });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const phase = (text: string) =>
      client.request('PATCH', `${VOLUMES}/bound/status`, { body: { status: { phase: text } }, headers });
    assert.equal((await phase('Bound')).code, 200);
    await isKept(`${VOLUMES}/bound`, `${VOLUMES}/loose`);
    assert.equal((await phase('Released')).code, 200);
    await isGone(`${VOLUMES}/bound`);
    for (const name of ['gold', 'lead'])
      await create(CLASSES, { metadata: { name }, driverName: 'd', parameters: { a: 'b' } });
    await create(CLAIMS, { metadata: { name: 'golden' }, spec: { ...STORAGE, volumeAttributesClassName: 'gold' } });
    await isKept(`${CLASSES}/gold`, `${CLASSES}/lead`);
    await client.request('DELETE', `${CLAIMS}/golden`);
    await isGone(`${CLASSES}/gold`);
  });

  test('A namespace with claims can be deleted.', async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'ends' } });
    await create('/api/v1/namespaces/ends/persistentvolumeclaims', { metadata: { name: 'c' }, spec: STORAGE });
    assert.equal((await client.request('DELETE', '/api/v1/namespaces/ends')).code, 200);
    await isGone('/api/v1/namespaces/ends');
  });
});
