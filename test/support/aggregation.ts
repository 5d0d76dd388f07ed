import assert from 'node:assert/strict';
import { TestAggregatedServer, until } from '@tidegate/testkit';
import type { Client } from './client.ts';

export const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
export const GROUP = '/apis/fruit.example.com/v1';
export const NAME = 'v1.fruit.example.com';
const AUTHENTICATION = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** A server of the kind Apple, which reads the front proxy's authority from the cluster. */
export async function appleServer(client: Client, options: { isAggregated?: boolean } = {}) {
  const requestHeaderCa = await until('the authority of the front proxy to be published', async () => {
    const { json } = await client.get(AUTHENTICATION);
    return json.data?.['requestheader-client-ca-file'] as string | undefined;
  });
  return TestAggregatedServer.start({ names: ['fruit.default.svc'], requestHeaderCa, ...options });
}

/** Creates the Service `fruit`, which points to this machine, and its APIService. */
export async function register(client: Client, { port, caBundle }: TestAggregatedServer): Promise<void> {
  const service = { metadata: { name: 'fruit' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
  await client.request('POST', '/api/v1/namespaces/default/services', { body: service });
  const spec = {
    group: 'fruit.example.com',
    version: 'v1',
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    caBundle,
    service: { namespace: 'default', name: 'fruit', port },
  };
  const made = await client.request('POST', API_SERVICES, { body: { metadata: { name: NAME }, spec } });
  assert.equal(made.code, 201, made.text);
}

export async function mergePatch(client: Client, path: string, body: object): Promise<void> {
  const { code, text } = await client.request('PATCH', path, { body, headers: MERGE });
  assert.equal(code, 200, text);
}

/** Waits until the APIService has a condition with this status and reason, and the answering gateway knows it. */
export async function untilCondition(client: Client, status: string, reason: string) {
  const path = `${API_SERVICES}/${NAME}`;
  const { found, resourceVersion } = await until(`${NAME} to be ${status}, ${reason}`, async () => {
    const { metadata, status: { conditions = [] } = {} } = (await client.get(path)).json;
    const isWanted = (one: { status: string; reason: string }) => one.status === status && one.reason === reason;
    const found = conditions.find(isWanted);
    return found && { found, resourceVersion: metadata.resourceVersion };
  });
  // this get waits for the mirror
  await client.get(`${path}?resourceVersion=${resourceVersion}`);
  return found;
}

export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
