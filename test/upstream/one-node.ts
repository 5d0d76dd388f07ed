import assert from 'node:assert/strict';
import type { Client } from '../support/client.ts';

const NAME = 'node-0';
const LEASE = { name: NAME, namespace: 'kube-node-lease' };
/** Controllers give a node up that has said nothing for 50 seconds. */
const SAY_EVERY_MS = 10_000;
const SIZE = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };

/** A Node object that stays ready though no kubelet is behind it. */
export async function keepNodeReady(client: Client): Promise<{ stop(): void }> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: NAME, labels: { 'kubernetes.io/hostname': NAME } } };
  const made = await client.request('POST', '/api/v1/nodes', { body: node });
  assert.equal(made.code, 201, made.text);
  await sayReady(client);
  const saying = setInterval(() => void sayReady(client), SAY_EVERY_MS);
  return { stop: () => clearInterval(saying) };
}

async function sayReady(client: Client): Promise<void> {
  const now = new Date().toISOString();
  const seconds = now.replace(/\.\d+Z$/, 'Z');
  const merge = { 'Content-Type': 'application/merge-patch+json' };
  const status = await client.request('PATCH', `/api/v1/nodes/${NAME}/status`, {
    headers: merge,
    body: { status: statusAt(seconds) },
  });
  assert.equal(status.code, 200, status.text);
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${LEASE.namespace}/leases/${NAME}?fieldManager=node&force=true`;
  const lease = await client.request('PATCH', leases, {
    headers: { 'Content-Type': 'application/apply-patch+yaml' },
    body: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: LEASE,
      spec: { holderIdentity: NAME, leaseDurationSeconds: 40, renewTime: now.replace('Z', '000Z') },
    },
  });
  assert.ok(lease.code === 200 || lease.code === 201, lease.text);
}

function statusAt(time: string): object {
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' };
  return {
    capacity: SIZE,
    allocatable: SIZE,
    conditions: [{ ...ready, lastHeartbeatTime: time, lastTransitionTime: time }],
    addresses: [
      { type: 'InternalIP', address: '192.0.2.2' },
      { type: 'Hostname', address: NAME },
    ],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: '6',
      osImage: 'linux',
      containerRuntimeVersion: 'containerd://2.0.0',
      kubeletVersion: 'v1.35.4',
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}
