import { elapsedUntil } from './elapsed.ts';
import { postgresOutage } from './outage.ts';
import { type PromisedTime, repeat } from './promised-time.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** From the sending of a write, right after the loss of PostgreSQL, until its answer is 503. */
export const rejectedWrite: PromisedTime = {
  name: 'a write without PostgreSQL is rejected',
  limitMs: 2000,
  page: 'docs/operate/postgresql.md',
  times: 5,
  async measure(systems, times) {
    const { cluster, first, second } = await systems.twoOfEach();
    return repeat(times, async (round) => {
      await postgresOutage.begin(cluster);
      const begun = performance.now();
      const { code } = await first.send('POST', MAPS, { body: { metadata: { name: `promise-rejected-${round}` } } });
      const ms = performance.now() - begun;
      if (code !== 503) throw new Error(`a write without PostgreSQL was answered with ${code}`);
      await postgresOutage.end(cluster);
      for (const gateway of [first, second]) {
        await elapsedUntil('readiness to pass', async () => (await gateway.codeOf('/readyz')) === 200);
      }
      return ms;
    });
  },
};
