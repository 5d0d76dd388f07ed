import { join } from 'node:path';
import { bootstrapPolicy } from '@tidegate/rbac';
import { temporaryDir } from '@tidegate/testkit';
import { ApiClient } from './api-client.ts';
import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';
import { startSystem } from './started-system.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const POLICY = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'];

/** From the moment at which a new system says that it is ready until it has created its first objects. */
export const firstObjects: PromisedTime = {
  name: 'the first objects of a new system exist after it is ready',
  limitMs: 1000,
  page: '',
  times: 5,
  measure: (_, times) => repeat(times, measureOnce),
};

async function measureOnce(): Promise<number> {
  const { path, remove } = temporaryDir('promises');
  try {
    const { endpoint, stop } = await startSystem(join(path, 'data'));
    const client = new ApiClient(endpoint);
    try {
      return await elapsedUntil('the first objects', () => haveFirstObjects(client));
    } finally {
      client.close();
      await stop();
    }
  } finally {
    remove();
  }
}

async function haveFirstObjects(client: ApiClient): Promise<boolean> {
  const service = '/api/v1/namespaces/default/services/kubernetes';
  for (const namespace of NAMESPACES) {
    if ((await client.codeOf(`/api/v1/namespaces/${namespace}`)) !== 200) return false;
    if ((await client.codeOf(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)) !== 200) return false;
  }
  if ((await client.codeOf(service)) !== 200) return false;
  let policy = 0;
  for (const resource of POLICY) {
    const { json } = await client.must('GET', `/apis/rbac.authorization.k8s.io/v1/${resource}`);
    policy += json.items.length;
  }
  return policy >= bootstrapPolicy().length;
}
