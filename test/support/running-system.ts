import { join } from 'node:path';
import { bootstrapFlowObjects } from '@tidegate/flow-control';
import { bootstrapPolicy } from '@tidegate/rbac';
import { booked, startTidegate, type TestTidegate, until } from '@tidegate/testkit';
import { Client } from './client.ts';
import { prepareSystem } from './prepared-system.ts';

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
/** as users have it, with all its controllers and plugins, and two gateways, between which each connection is given to either */
export const COMPLETE = {
  args: ['--workers=2'],
  env: { TIDEGATE_CONTROLLERS: '*', TIDEGATE_DISABLE_ADMISSION_PLUGINS: '' },
};
/** with CBOR, which has to be switched on */
export const CBOR = { args: ['--feature-gates=CBORServingAndStorage=true'] };
/**
 * whose gateways remember a few changes only, hold collections of one MiB and less, take few bodies of a user at a time,
 * and compress what is short; with CBOR
 */
export const SMALL_LIMITS = {
  ...CBOR,
  env: {
    TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '0.016',
    TIDEGATE_MIRROR_LARGEST_MIB: '1',
    TIDEGATE_MAX_INCOMING_BODIES_MIB_PER_USER: '8',
    TIDEGATE_RESPONSE_COMPRESSION_MIN_BYTES: '100',
  },
};
/** what every such system has made when it is settled */
export const FIRST_OBJECTS = 50 + bootstrapPolicy().length;

export type SystemOptions = NonNullable<Parameters<typeof startTidegate>[0]>;

/** Each is known by the token `NAME-token`, and has no rights. */
const USERS = join(import.meta.dirname, 'users.csv');

/** A system in which only the test writes, and a client of its administrator. */
export async function runningSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const has = (option: string) => options.args?.some((arg) => arg.startsWith(option)) ?? false;
  const hasOwnData = options.dataDir !== undefined || has('--postgres-url');
  const prepare = hasOwnData ? {} : { prepare: (dir: string) => prepareSystem(dir, makeFirstObjects) };
  const users = has('--token-auth-file') ? [] : [`--token-auth-file=${USERS}`];
  const args = [...users, ...(options.args ?? [])];
  const tidegate = await startTidegate({ ...prepare, ...options, args, env: { ...alone, ...options.env } });
  const client = new Client(tidegate);
  await settled(client);
  if (options.env?.TIDEGATE_CONTROLLERS === '*') await furnished(client);
  return {
    tidegate,
    client,
    async stop() {
      client.close();
      await tidegate.stop();
    },
  };
}

/** What the controllers of a complete system put into its first namespaces. */
async function furnished(client: Client): Promise<void> {
  for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
      const there = async () => (await client.get(`/api/v1/namespaces/${namespace}/${path}`)).code === 200;
      await until(`${path} of ${namespace} to be there`, there);
    }
  }
  const told = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  await until('the authorities to be told of', async () => (await client.get(told)).code === 200);
}

async function makeFirstObjects(dataDir: string): Promise<void> {
  const { stop } = await runningSystem({ dataDir });
  await stop();
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
