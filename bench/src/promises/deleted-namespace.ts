import type { ApiClient } from './api-client.ts';
import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const OBJECTS = 200;
const AT_ONCE = 16;
const KINDS = ['configmaps', 'secrets', 'serviceaccounts'] as const;

/** From the deletion of a namespace with objects of several kinds until it is gone. */
export const deletedNamespace: PromisedTime = {
  name: `a deleted namespace with ${OBJECTS} objects is gone`,
  limitMs: 15_000,
  page: '',
  times: 5,
  async measure(systems, times) {
    const { first } = await systems.twoOfEach();
    return repeat(times, async (round) => {
      const path = await filledNamespace(first, `promise-filled-${round}`);
      const begun = performance.now();
      await first.must('DELETE', path);
      await elapsedUntil('the namespace to be gone', async () => (await first.codeOf(path)) === 404);
      return performance.now() - begun;
    });
  },
};

async function filledNamespace(client: ApiClient, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${name}`;
  await client.must('POST', '/api/v1/namespaces', { metadata: { name } });
  const numbers = Array.from({ length: OBJECTS }, (_, i) => i).values();
  const fill = async () => {
    for (const i of numbers) {
      await client.must('POST', `${path}/${KINDS[i % KINDS.length]}`, { metadata: { name: `object-${i}` } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  return path;
}
