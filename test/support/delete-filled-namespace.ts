import assert from 'node:assert/strict';
import { until } from '@tidegate/testkit';
import { type Client, configMap } from './client.ts';

const AT_ONCE = 32;

/** Creates a namespace with objects of several kinds, deletes it, and returns the duration of the deletion in ms. */
export async function deleteFilledNamespace(client: Client, name: string, objects: number): Promise<number> {
  const path = `/api/v1/namespaces/${name}`;
  assert.equal((await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } })).code, 201);
  const numbers = Array.from({ length: objects }, (_, i) => i).values();
  const fill = async () => {
    for (const i of numbers) {
      const kind = (['configmaps', 'secrets', 'serviceaccounts'] as const)[i % 3] as string;
      const object = kind === 'configmaps' ? configMap(`o-${i}`, { i: String(i) }) : { metadata: { name: `o-${i}` } };
      const { code, text } = await client.request('POST', `${path}/${kind}`, { body: object });
      assert.equal(code, 201, text);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  const began = performance.now();
  assert.equal((await client.request('DELETE', path)).code, 200);
  await until(`the namespace ${name} to be gone`, async () => (await client.get(path)).code === 404, 120_000);
  return performance.now() - began;
}
