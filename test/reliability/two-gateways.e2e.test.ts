import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cluster, startCluster } from '@tidegate/testkit';
import { explainViolations, violationsOf } from './checks/all.ts';
import { runLoad } from './load/run-load.ts';
import { FaultyWatch } from './system/faulty-watch.ts';

describe('Clients that alternate between two gateways', () => {
  const lateWatch = new FaultyWatch();
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({
      replicas: 2,
      nats: false,
      // every second follow stream is late, so that one gateway is behind the other
      beforeWatches: (addresses, certificates) => lateWatch.start(addresses, certificates),
    });
  });
  after(async () => {
    await cluster.stop();
    await lateWatch.close();
  });

  test('Every promise is kept while one of two gateways receives changes late.', async () => {
    lateWatch.setFault('delays every change for one gateway');
    const { endpoints } = cluster;
    const history = await runLoad({ seed: 5, namespace: 'two', endpoints, operations: 300, catchUpMs: 30_000 });
    assert.equal(explainViolations(violationsOf(history)), '');
    assert.ok(lateWatch.injected > 0);
  });
});
