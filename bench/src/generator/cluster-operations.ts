import { decodeProtobuf, type JsonObject } from '@tidegate/schema';
import type { Answer, Client } from './client.ts';
import { clusterBodies, LEASE, leaseBody, OWNER_PATH, podName } from './cluster-objects.ts';
import type { ClusterOperation, Once } from './operations.ts';
import { numbered, Template } from './template.ts';

const STRATEGIC = 'application/strategic-merge-patch+json';

/** The function for one operation on pods, leases or events; `client` reads what their bodies need. */
export async function clusterOperation(operation: ClusterOperation, namespace: string, client: Client): Promise<Once> {
  const root = `/api/v1/namespaces/${namespace}`;
  if (operation === 'renew-lease')
    return renewal(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, namespace);
  const bodies = clusterBodies(namespace, await ownerUid(client, namespace));
  const podPath = (i: number) => `${root}/pods/${podName(numbered(i))}`;
  const body = new Template(bodies[BODIES[operation]]);
  const once: Record<keyof typeof BODIES, Once> = {
    'create-pod': (c, i) => c.request('POST', `${root}/pods`, body.fill(i)),
    'bind-pod': (c, i) => c.request('POST', `${podPath(i)}/binding`, body.fill(i)),
    'patch-pod-status': (c, i) => c.request('PATCH', `${podPath(i)}/status`, body.fill(i), STRATEGIC),
    'delete-pod': (c, i) => c.request('DELETE', podPath(i), body.fill(i)),
    'create-event': (c, i) => c.request('POST', `${root}/events`, body.fill(i)),
  };
  return once[operation];
}

const BODIES = {
  'create-pod': 'pod',
  'bind-pod': 'binding',
  'patch-pod-status': 'podStatus',
  'delete-pod': 'deletion',
  'create-event': 'event',
} as const;

async function ownerUid(client: Client, namespace: string): Promise<string> {
  const path = `/apis/apps/v1/namespaces/${namespace}/${OWNER_PATH}`;
  const { code, body } = await client.request('GET', path, undefined, undefined, true);
  // the UID is a text in every encoding
  const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(body.toString('latin1'))?.[0];
  if (uid === undefined) throw new Error(`the owner of the pods is missing: ${code}`);
  return uid;
}

/** Each client renews a lease of its own, as kubelets do; the answer has the version for the next renewal. */
function renewal(path: string, namespace: string): Once {
  const versions = new Map<Client, { name: string; version: string }>();
  return async (client) => {
    let lease = versions.get(client);
    if (lease === undefined) {
      const name = `node-${versions.size}`;
      lease = { name, version: '' };
      versions.set(client, lease);
      lease.version = await firstVersion(client, path, leaseBody(namespace, name, ''), name);
    }
    const body = leaseBody(namespace, lease.name, lease.version);
    const answer = await client.request('PUT', `${path}/${lease.name}`, body, undefined, true);
    if (answer.code === 200) lease.version = versionOf(answer);
    return answer;
  };
}

async function firstVersion(client: Client, path: string, body: Buffer, name: string): Promise<string> {
  const created = await client.request('POST', path, body, undefined, true);
  if (created.code !== 409) return versionOf(created);
  return versionOf(await client.request('GET', `${path}/${name}`, undefined, undefined, true));
}

function versionOf({ code, body }: Answer): string {
  if (code !== 200 && code !== 201) throw new Error(`a lease was answered with ${code}`);
  return String((decodeProtobuf(LEASE.schema, body).metadata as JsonObject).resourceVersion);
}
