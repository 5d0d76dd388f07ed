import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@tidegate/testkit';
import { Api, type Endpoint } from './reliability/load/api.ts';
import { type Cluster, startCluster } from './reliability/system/cluster.ts';
import { configMap, MAPS } from './support/client.ts';

const WATCHERS = 1000;

/** A client that goes on at the next gateway from the version that it saw last. */
class Watcher {
  readonly versions: number[] = [];
  relists = 0;
  connects = 0;
  readonly #gateways: readonly Api[];
  #stopped = false;
  #cut: (() => void) | undefined;

  constructor(gateways: readonly Api[]) {
    this.#gateways = gateways;
  }

  async run(first: number, from: number): Promise<void> {
    let last = from;
    for (let at = first; !this.#stopped; at++) {
      const gateway = this.#gateways[at % this.#gateways.length] as Api;
      const response = await gateway.stream(`${MAPS}?watch=1&timeoutSeconds=600&resourceVersion=${last}`);
      if (response === undefined || response.statusCode !== 200) {
        if (response?.statusCode === 410) this.relists++;
        response?.destroy();
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      this.connects++;
      this.#cut = () => response.destroy();
      let rest = '';
      try {
        for await (const bytes of response.setEncoding('utf8')) {
          const lines = (rest + bytes).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            if (line.startsWith('{"type":"ERROR"')) this.relists++;
            else {
              last = Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1]);
              this.versions.push(last);
            }
          }
        }
      } catch {
        // it was cut off
      }
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cut?.();
  }
}

async function restart(cluster: Cluster, name: string): Promise<void> {
  const part = cluster.parts.get(name);
  assert.ok(part !== undefined);
  const { pid } = part;
  process.kill(pid, 'SIGTERM');
  await until(`${name} to be started again`, () => part.pid !== pid, 60_000);
}

test('a rolling restart of every replica costs a thousand watchers reconnects, and no relist', async (context) => {
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
  const watchers = Array.from({ length: WATCHERS }, () => new Watcher(apis));
  try {
    const create = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } };
    await (writer[0] as Api).send(create);
    const reply = await (writer[0] as Api).send({ method: 'GET', path: MAPS });
    assert.ok(reply.kind === 'answered' && reply.code === 200);
    const from = Number(reply.json.metadata.resourceVersion);
    const running = watchers.map((watcher, i) => watcher.run(i, from));
    await until('all to be connected', () => watchers.every((watcher) => watcher.connects > 0), 60_000);
    const done = write();
    await progress();
    for (const name of ['gateway-1', 'gateway-2', 'watch-1', 'watch-2', 'store-1', 'store-2']) {
      await restart(cluster, name);
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
