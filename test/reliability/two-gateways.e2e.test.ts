import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { explainViolations, violationsOf } from './checks/all.ts';
import { runLoad } from './load/run-load.ts';
import { type Cluster, startCluster } from './system/cluster.ts';
import { FaultyWatch } from './system/faulty-watch.ts';

describe('Two gateways of which clients use now one and now the other', () => {
  const lateWatch = new FaultyWatch();
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({
      replicas: 2,
      nats: false,
      // each second stream is late: one gateway knows less than the other
      beforeWatches: (addresses, certificates) => lateWatch.start(addresses, certificates),
    });
  });
  after(async () => {
    await cluster.stop();
    await lateWatch.close();
  });

  test('keep every promise, also when one of them hears of changes later', async () => {
    lateWatch.begin('brings one gateway everything late');
    const { endpoints } = cluster;
    const history = await runLoad({ seed: 5, namespace: 'two', endpoints, operations: 300, catchUpMs: 10_000 });
    assert.equal(explainViolations(violationsOf(history)), '');
    assert.ok(lateWatch.lies > 0);
  });
});
