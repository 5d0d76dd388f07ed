import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cluster, Random, startCluster } from '@tidegate/testkit';
import { explainViolations, violationsOf } from './reliability/checks/all.ts';
import { type FaultName, faults } from './reliability/system/faults.ts';
import { runUnderFaults } from './reliability/system/run-under-faults.ts';

const seeds = (process.env.RELIABILITY_SEEDS ?? '21,22,23').split(',').map(Number);
/** Short, so that history expires while clients read it; no client is disconnected for that long. */
const WINDOW_SECONDS = 20;
const STEPS = 20;

for (const nats of [true, false]) {
  describe(`Two replicas of each part ${nats ? 'with' : 'without'} NATS under random faults`, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await startCluster({ replicas: 2, nats, windowSeconds: WINDOW_SECONDS });
    });
    after(() => cluster.stop());

    for (const seed of seeds) {
      test(`Every promise is kept (seed ${seed}).`, async (t) => {
        const random = new Random(seed);
        const names = (Object.keys(faults) as FaultName[]).filter((name) => nats || name !== 'lose NATS');
        const steps = Array.from({ length: STEPS }, () => [...new Set([random.pick(names), random.pick(names)])]);
        const { history, story } = await runUnderFaults({ cluster, seed, namespace: `faults-${seed}`, steps });
        t.diagnostic(`${history.operations.length} operations, ${history.lists.length} lists; ${story.join('; ')}`);
        const broken = explainViolations(violationsOf(history));
        assert.equal(broken, '', `seed ${seed}: ${story.join('; ')}`);
        assert.ok(history.lists.length > 20);
      });
    }
  });
}
