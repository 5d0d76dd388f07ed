import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, whyNoNats } from '@tidegate/testkit';
import { Api, type Endpoint } from './reliability/load/api.ts';
import { startCluster } from './reliability/system/cluster.ts';
import { configMap, MAPS } from './support/client.ts';
import { RollingWatcher } from './support/rolling-watcher.ts';

const WATCHERS = 1000;

const noNats = (await whyNoNats()) ?? false;

test('a rolling restart of every replica costs a thousand watchers reconnects, and no relist', {
  skip: noNats,
}, async (context) => {
  const cluster = await startCluster({ replicas: 2, nats: true });
  const apis = cluster.endpoints.map((endpoint: Endpoint) => new Api(endpoint, 600_000));
  const writer = apis.map((_, i) => new Api(cluster.endpoints[i] as Endpoint, 20_000));
  const made: number[] = [];
  let writing = true;
  const write = async () => {
    for (let i = 0; writing; i++) {
      const reply = await (writer[i % 2] as Api).send({ method: 'POST', path: MAPS, body: configMap(`r-${i}`) });
      if (reply.kind === 'answered' && reply.code === 201) made.push(Number(reply.json.metadata.resourceVersion));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const progress = async () => {
    const before = made.length;
    await until('writes to go on', () => made.length > before + 20, 60_000);
  };
  const watchers = Array.from({ length: WATCHERS }, (_, i) => new RollingWatcher(apis, i));
  try {
    const create = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } };
    await (writer[0] as Api).send(create);
    const reply = await (writer[0] as Api).send({ method: 'GET', path: MAPS });
    assert.ok(reply.kind === 'answered' && reply.code === 200);
    const from = Number(reply.json.metadata.resourceVersion);
    const running = watchers.map((watcher) => watcher.run(MAPS, from));
    await until('all to be connected', () => watchers.every((watcher) => watcher.connects > 0), 60_000);
    const done = write();
    await progress();
    for (const name of ['gateway-1', 'gateway-2', 'watch-1', 'watch-2', 'store-1', 'store-2']) {
      await cluster.restart(name);
      await progress();
    }
    writing = false;
    await done;
    await until(
      'all to have caught up',
      () => watchers.every(({ versions }) => versions.at(-1) === made.at(-1)),
      60_000,
    );
    for (const watcher of watchers) watcher.stop();
    await Promise.all(running);
  } finally {
    writing = false;
    for (const watcher of watchers) watcher.stop();
    for (const api of [...apis, ...writer]) api.close();
    await cluster.stop();
  }
  const connects = watchers.reduce((sum, watcher) => sum + watcher.connects, 0);
  context.diagnostic(`${made.length} writes, ${connects} connections of ${WATCHERS} watchers`);
  const acknowledged = new Set(made);
  for (const { versions, relists } of watchers) {
    assert.equal(relists, 0);
    assert.ok(
      versions.every((version, i) => i === 0 || version > (versions[i - 1] as number)),
      'Ordered, Unique',
    );
    // a write whose answer was lost in a restart may have been done
    assert.ok(
      [...acknowledged].every((version) => versions.includes(version)),
      'Reliable, Resumable',
    );
  }
});
