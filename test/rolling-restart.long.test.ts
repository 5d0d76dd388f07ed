import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, startCluster, until, whyNoNats } from '@tidegate/testkit';
import { Api } from './reliability/load/api.ts';
import { configMap, MAPS } from './support/client.ts';
import { RollingWatcher } from './support/rolling-watcher.ts';

const WATCHERS = 1000;

const noNats = (await whyNoNats()) ?? false;

test('A rolling restart of every replica makes a thousand watchers reconnect, but not relist.', {
  skip: noNats,
}, async (context) => {
  const cluster = await startCluster({ replicas: 2, nats: true });
  const apis = cluster.endpoints.map((endpoint: Endpoint) => new Api(endpoint, 600_000));
  const writer = apis.map((_, i) => new Api(cluster.endpoints[i] as Endpoint, 20_000));
  const created: number[] = [];
  let isWriting = true;
  const write = async () => {
    for (let i = 0; isWriting; i++) {
      const reply = await (writer[i % 2] as Api).send({ method: 'POST', path: MAPS, body: configMap(`r-${i}`) });
      if (reply.kind === 'answered' && reply.code === 201) created.push(Number(reply.json.metadata.resourceVersion));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const progress = async () => {
    const before = created.length;
    await until('writes to continue', () => created.length > before + 20, 60_000);
  };
  const watchers = Array.from({ length: WATCHERS }, (_, i) => new RollingWatcher(apis, i));
  try {
    const create = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } };
    await (writer[0] as Api).send(create);
    const reply = await (writer[0] as Api).send({ method: 'GET', path: MAPS });
    assert.ok(reply.kind === 'answered' && reply.code === 200);
    const from = Number(reply.json.metadata.resourceVersion);
    const running = watchers.map((watcher) => watcher.run(MAPS, from));
    await until('all watchers to connect', () => watchers.every((watcher) => watcher.connects > 0), 60_000);
    const done = write();
    await progress();
    for (const name of ['gateway-1', 'gateway-2', 'watch-1', 'watch-2', 'store-1', 'store-2']) {
      await cluster.restart(name);
      await progress();
    }
    isWriting = false;
    await done;
    await until(
      'all watchers to catch up',
      () => watchers.every(({ versions }) => versions.at(-1) === created.at(-1)),
      60_000,
    );
    for (const watcher of watchers) watcher.stop();
    await Promise.all(running);
  } finally {
    isWriting = false;
    for (const watcher of watchers) watcher.stop();
    for (const api of [...apis, ...writer]) api.close();
    await cluster.stop();
  }
  const connects = watchers.reduce((sum, watcher) => sum + watcher.connects, 0);
  context.diagnostic(`${created.length} writes, ${connects} connections of ${WATCHERS} watchers`);
  const acknowledged = new Set(created);
  for (const { versions, relists } of watchers) {
    assert.equal(relists, 0);
    assert.ok(
      versions.every((version, i) => i === 0 || version > (versions[i - 1] as number)),
      'Ordered, Unique',
    );
    // watchers may also see writes whose answers were lost in a restart
    assert.ok(
      [...acknowledged].every((version) => versions.includes(version)),
      'Reliable, Resumable',
    );
  }
});
