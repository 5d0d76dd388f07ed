import { join } from 'node:path';
import { bootstrapFlowObjects } from '@tidegate/flow-control';
import { bootstrapPolicy } from '@tidegate/rbac';
import { startTidegate, type TestTidegate, timed, until } from '@tidegate/testkit';
import { Client } from './client.ts';
import { prepareSystem } from './prepared-system.ts';

export interface RunningSystem {
  readonly tidegate: TestTidegate;
  readonly client: Client;
  stop(): Promise<void>;
}

/**
 * Settings with which only the test writes: namespaces contain only its objects, and it makes all revisions. Namespaces
 * have no service accounts, and pods need none.
 */
export const ISOLATED = {
  TIDEGATE_CONTROLLERS: 'namespace-controller',
  TIDEGATE_DISABLE_ADMISSION_PLUGINS: 'ServiceAccount',
};
/** the defaults for users: all controllers and plugins; with two gateways, which share the connections */
export const COMPLETE = {
  args: ['--workers=2'],
  env: { TIDEGATE_CONTROLLERS: '*', TIDEGATE_DISABLE_ADMISSION_PLUGINS: '' },
};
/** with CBOR, which is off by default */
export const CBOR = { args: ['--feature-gates=CBORServingAndStorage=true'] };
/**
 * gateways with a short window, mirrors of at most one MiB, few concurrent body bytes for each user, and compression of
 * short answers; with CBOR
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
/** the number of objects that every system creates at its start */
export const FIRST_OBJECTS = 50 + bootstrapPolicy().length;

export type SystemOptions = NonNullable<Parameters<typeof startTidegate>[0]>;

/** Each user has the token `NAME-token` and no permissions. */
const USERS = join(import.meta.dirname, 'users.csv');

/** Starts a system in which only the test writes, with a client of its administrator. */
export async function runningSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const has = (option: string) => options.args?.some((arg) => arg.startsWith(option)) ?? false;
  const hasOwnData = options.dataDir !== undefined || has('--postgres-url');
  const prepare = hasOwnData ? {} : { prepare: (dir: string) => prepareSystem(dir, createFirstObjects) };
  const users = has('--token-auth-file') ? [] : [`--token-auth-file=${USERS}`];
  const args = [...users, ...(options.args ?? [])];
  const tidegate = await startTidegate({ ...prepare, ...options, args, env: { ...ISOLATED, ...options.env } });
  const client = new Client(tidegate);
  await untilSettled(client);
  if (options.env?.TIDEGATE_CONTROLLERS === '*') await untilNamespacesFilled(client);
  return {
    tidegate,
    client,
    async stop() {
      client.close();
      await tidegate.stop();
    },
  };
}

/** Waits until the controllers of a complete system have filled the first namespaces. */
async function untilNamespacesFilled(client: Client): Promise<void> {
  for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
      const exists = async () => (await client.get(`/api/v1/namespaces/${namespace}/${path}`)).code === 200;
      await until(`${path} of ${namespace} to exist`, exists);
    }
  }
  const authentication = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  await until('the authorities to be published', async () => (await client.get(authentication)).code === 200);
}

async function createFirstObjects(dataDir: string): Promise<void> {
  const { stop } = await runningSystem({ dataDir });
  await stop();
}

/** The last object of each sequence of first objects; the sequences run concurrently. */
const LAST_CREATED = [
  '/api/v1/namespaces/kube-system',
  '/api/v1/namespaces/default/services/kubernetes',
  '/api/v1/namespaces/default/endpoints/kubernetes',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  '/apis/apiregistration.k8s.io/v1/apiservices/v1.flowcontrol.apiserver.k8s.io',
];

const POLICY = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'];

/** Roles and bindings are created in no particular order, so they are counted. */
async function hasPolicy(client: Client): Promise<boolean> {
  const lists = await Promise.all(POLICY.map((name) => client.get(`/apis/rbac.authorization.k8s.io/v1/${name}`)));
  const counts = lists.map(({ json }) => (json?.items ?? []).length as number);
  return counts.reduce((sum, count) => sum + count, 0) >= bootstrapPolicy().length;
}

/** Whether all flow schemas exist and have a status, which is written last. */
async function hasFlows(client: Client): Promise<boolean> {
  const { json } = await client.get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas');
  const items: ReadonlyArray<{ status?: { conditions?: unknown[] } }> = json?.items ?? [];
  const wanted = bootstrapFlowObjects().filter(({ kind }) => kind === 'FlowSchema').length;
  return items.length >= wanted && items.every(({ status }) => status?.conditions !== undefined);
}

/** Waits until the system has created its first objects. */
export function untilSettled(client: Client): Promise<void> {
  return timed('a system gets ready', () => untilFirstObjects(client));
}

async function untilFirstObjects(client: Client): Promise<void> {
  for (const path of LAST_CREATED) {
    await until(`the first object ${path} to exist`, async () => (await client.get(path)).code === 200);
  }
  await until('the first roles and bindings to exist', () => hasPolicy(client));
  await until('the first flow schemas to have a status', () => hasFlows(client));
  const range = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';
  await until(
    'the range of services to be ready',
    async () => (await client.get(range)).json.status?.conditions !== undefined,
  );
}
