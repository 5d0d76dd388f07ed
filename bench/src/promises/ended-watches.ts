import { until } from '@tidegate/testkit';
import { type PromisedTime, repeat } from './promised-time.ts';

const WATCHES = 20;
const MAPS = '/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=300';

/** From SIGTERM to a gateway until it has ended its watches. */
export const endedWatches: PromisedTime = {
  name: `a gateway that stops ends ${WATCHES} watches`,
  limitMs: 1000,
  page: 'docs/operate/upgrade.md',
  times: 5,
  async measure(systems, times) {
    const { cluster, second } = await systems.twoOfEach();
    return repeat(times, async () => {
      const watches = await Promise.all(Array.from({ length: WATCHES }, () => second.watch(MAPS)));
      const begun = performance.now();
      const restarted = cluster.restart('gateway-2');
      await Promise.all(watches.map(({ ended }) => ended));
      const ms = performance.now() - begun;
      await restarted;
      await until('the next gateway to answer', async () => (await second.codeOf('/readyz')) === 200, 60_000);
      return ms;
    });
  },
};
