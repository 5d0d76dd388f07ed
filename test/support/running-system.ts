import { bootstrapFlowObjects } from '@tidegate/flow-control';
import { bootstrapPolicy } from '@tidegate/rbac';
import { booked, startTidegate, type TestTidegate, until } from '@tidegate/testkit';
import { Client } from './client.ts';

export interface RunningSystem {
  readonly tidegate: TestTidegate;
  readonly client: Client;
  stop(): Promise<void>;
}

/**
 * Nothing is written but by the test: its namespaces are as empty as it makes them, and revisions are its own. So they
 * have no service accounts, and pods need none.
 */
export const alone = {
  TIDEGATE_CONTROLLERS: 'namespace-controller',
  TIDEGATE_DISABLE_ADMISSION_PLUGINS: 'ServiceAccount',
};
/** for tests that make service accounts, and pods with them */
export const ALL_PLUGINS = { TIDEGATE_DISABLE_ADMISSION_PLUGINS: '' };
/** what every such system has made when it is settled */
export const FIRST_OBJECTS = 50 + bootstrapPolicy().length;

/** A system in which only the test writes, and a client of its administrator. */
export async function runningSystem(options: Parameters<typeof startTidegate>[0] = {}): Promise<RunningSystem> {
  const tidegate = await startTidegate({ ...options, env: { ...alone, ...options.env } });
  const client = new Client(tidegate);
  await settled(client);
  return {
    tidegate,
    client,
    async stop() {
      client.close();
      await tidegate.stop();
    },
  };
}

/** The last of each sort that is made, and those that are made at once: no sort waits for another. */
const LAST_MADE = [
  '/api/v1/namespaces/kube-system',
  '/api/v1/namespaces/default/services/kubernetes',
  '/api/v1/namespaces/default/endpoints/kubernetes',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  '/apis/apiregistration.k8s.io/v1/apiservices/v1.flowcontrol.apiserver.k8s.io',
];

const POLICY = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'];

/** Roles and bindings are made in no order. */
async function hasPolicy(client: Client): Promise<boolean> {
  const lists = await Promise.all(POLICY.map((name) => client.get(`/apis/rbac.authorization.k8s.io/v1/${name}`)));
  const counts = lists.map(({ json }) => (json?.items ?? []).length as number);
  return counts.reduce((sum, count) => sum + count, 0) >= bootstrapPolicy().length;
}

/** The last word about them is in their status. */
async function hasFlows(client: Client): Promise<boolean> {
  const { json } = await client.get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas');
  const items: ReadonlyArray<{ status?: { conditions?: unknown[] } }> = json?.items ?? [];
  const wanted = bootstrapFlowObjects().filter(({ kind }) => kind === 'FlowSchema').length;
  return items.length >= wanted && items.every(({ status }) => status?.conditions !== undefined);
}

/** All that a system makes at its start is there. */
export function settled(client: Client): Promise<void> {
  return booked('a system settles', () => madeAll(client));
}

async function madeAll(client: Client): Promise<void> {
  for (const path of LAST_MADE) {
    await until(`the first objects to be there, ${path}`, async () => (await client.get(path)).code === 200);
  }
  await until('the first roles and bindings to be there', () => hasPolicy(client));
  await until('the first flow schemas to be told of their levels', () => hasFlows(client));
  const range = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
  await until(
    'the range of services to be ready',
    async () => (await client.get(range)).json.status?.conditions !== undefined,
  );
}
