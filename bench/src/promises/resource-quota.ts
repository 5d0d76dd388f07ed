import type { ApiClient } from './api-client.ts';
import { elapsedUntil } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const PAGE = 'docs/operate/admission-plugins.md';

/** From the answer to the creation of a quota until its status has counted the namespace. */
export const newQuota: PromisedTime = {
  name: 'a new quota is counted',
  limitMs: 1000,
  page: PAGE,
  times: 10,
  async measure(systems, times) {
    const { first } = await systems.twoOfEach();
    return repeat(times, async (round) => (await countedQuota(first, `promise-new-quota-${round}`)).ms);
  },
};

/** From the answer to a deletion until the quota shows the freed usage. */
export const freedQuota: PromisedTime = {
  name: 'the freed usage of a quota is available',
  limitMs: 1000,
  page: PAGE,
  times: 10,
  async measure(systems, times) {
    const { first } = await systems.twoOfEach();
    const { path, used } = await countedQuota(first, 'promise-freed-quota');
    return repeat(times, async (round) => {
      await first.must('POST', `${path}/secrets`, { metadata: { name: `secret-${round}` } });
      await elapsedUntil('the usage to be counted', async () => (await used()) === '1');
      await first.must('DELETE', `${path}/secrets/secret-${round}`);
      return elapsedUntil('the usage to be freed', async () => (await used()) === '0');
    });
  },
};

/** Creates a namespace with a quota for secrets; returns how long it took until it was counted. */
async function countedQuota(client: ApiClient, name: string) {
  const path = `/api/v1/namespaces/${name}`;
  await client.must('POST', '/api/v1/namespaces', { metadata: { name } });
  await client.must('POST', `${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { secrets: '5' } } });
  const used = async (): Promise<string | undefined> =>
    (await client.must('GET', `${path}/resourcequotas/q`)).json.status?.used?.secrets;
  return { path, used, ms: await elapsedUntil('the quota to be counted', async () => (await used()) !== undefined) };
}
